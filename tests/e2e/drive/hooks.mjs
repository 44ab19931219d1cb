// Preloaded into the servers under test. Two request headers for tests:
//   x-test-user: NAME   stands for an authenticating middleware: one client id for everybody, NAME as the subject
//   x-test-slow: MS     holds the end of the response back, so that a request stays in flight
import http from 'node:http';

// A server ends with the test that started it, also where that was killed before it could clean up.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.exit(1), 1000).unref();

const { emit } = http.Server.prototype;
http.Server.prototype.emit = function (event, ...args) {
  if (event === 'request') {
    const [req, res] = args;
    const sub = req.headers['x-test-user'];
    if (sub) {
      req.auth = { token: 'test', clientId: 'desk-app', scopes: [], extra: { iss: 'https://id.example.test', sub } };
    }
    const slow = Number(req.headers['x-test-slow']);
    if (slow) {
      const { end } = res;
      res.end = (...rest) => {
        setTimeout(() => end.apply(res, rest), slow);
        return res;
      };
    }
  }
  return emit.call(this, event, ...args);
};
