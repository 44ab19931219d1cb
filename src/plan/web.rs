//! What answers HTTP requests around a transport, as far as edits have to know.

/// A web framework, by the shape of its handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framework {
    /// `(req, res) => …` behind `app.post(path, …)`.
    Express,
    /// `(request, reply) => …` with the platform's objects as `request.raw` and `reply.raw`.
    Fastify,
    /// `(c) => Response`.
    Hono,
    /// `(req, res) => …`, given to `createServer`.
    Node,
    /// `(request) => Response`.
    Web,
}

impl Framework {
    /// Whether a handler returns its answer, instead of writing it.
    pub fn returns(self) -> bool {
        matches!(self, Self::Hono | Self::Web)
    }
}
