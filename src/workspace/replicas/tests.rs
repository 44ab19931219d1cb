use super::*;

fn found(path: &str, text: &str) -> Vec<String> {
    let kind = deployment_of(paths::file_name(path)).expect("a file of interest");
    of_text(path, kind, text).iter().map(|r| format!("{}:{} {}", r.line, r.column, r.reason)).collect()
}

#[track_caller]
fn says(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(found(path, text), expected, "{path}\n{text}");
}

#[test]
fn compose() {
    says(
        "docker-compose.yml",
        "services:\n  api:\n    build: .\n    deploy:\n      replicas: 3\n",
        &["5:17 deploy.replicas: 3 of service api"],
    );
    says(
        "compose.yaml",
        "services:\n  api:\n    image: acme/cart:1\n    scale: 2\n",
        &["4:12 scale: 2 of service api"],
    );
    says(
        "compose.yaml",
        "services:\n  api:\n    build: .\n    deploy: { replicas: 4 }\n",
        &["4:25 deploy.replicas: 4 of service api"],
    );
    says(
        "compose.yaml",
        "services:\n  api:\n    build: .\n    command: [\"uvicorn\", \"a:b\", \"--workers\", \"4\"]\n",
        &["4:34 uvicorn --workers 4 in service api"],
    );
    says(
        "compose.yaml",
        "services:\n  api:\n    build: .\n    command:\n    - gunicorn\n    - -w\n    - \"4\"\n    environment:\n      WEB_CONCURRENCY: 3\n",
        &["6:7 gunicorn -w 4 in service api", "9:24 WEB_CONCURRENCY=3 in service api"],
    );
    for silent in [
        "services:\n  api:\n    build: .\n    deploy:\n      replicas: 1\n",
        "services:\n  api:\n    build: .\n    deploy:\n#     replicas: 3\n      mode: x\n",
        "services:\n  cache:\n    image: redis:7\n    deploy:\n      replicas: 3\n",
        "services:\n  api:\n    build: .\n    deploy:\n      replicas: ${N}\n",
        "x-unused:\n  deploy:\n    replicas: 3\n",
    ] {
        says("docker-compose.yml", silent, &[]);
    }
}

#[test]
fn kubernetes_and_knative() {
    let deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: cart\nspec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n        - name: cart\n          image: acme/cart\n";
    says("k8s/cart.yaml", deployment, &["6:13 replicas: 3 of Deployment cart"]);
    says("k8s/cart.yaml", &deployment.replace("Deployment", "StatefulSet"), &["6:13 replicas: 3 of StatefulSet cart"]);
    says("k8s/cart.yaml", &deployment.replace("replicas: 3", "replicas: 1"), &[]);
    says("k8s/cart.yaml", &deployment.replace("replicas: 3", "replicas: {{ .Values.n }}"), &[]);
    says("k8s/cart.yaml", &deployment.replace("acme/cart", "redis:7"), &[]);
    says("k8s/cart.yaml", &deployment.replace("kind: Deployment", "kind: Job"), &[]);
    says("k8s/all.yaml", &format!("kind: Service\n---\n{}", deployment.replace("  replicas: 3\n", "")), &[]);
    says(
        "hpa.yaml",
        "kind: HorizontalPodAutoscaler\nspec:\n  scaleTargetRef:\n    name: cart\n  maxReplicas: 10\n",
        &["5:16 maxReplicas: 10 of HorizontalPodAutoscaler cart"],
    );
    let knative = "apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: cart}\nspec:\n  template:\n    metadata:\n      annotations:\n        autoscaling.knative.dev/maxScale: \"5\"\n";
    says("service.yaml", knative, &["8:44 maxScale: 5 of Service cart"]);
    says("service.yaml", &knative.replace("\"5\"", "\"1\""), &[]);
    let env = "kind: Deployment\nmetadata:\n  name: cart\nspec:\n  template:\n    spec:\n      containers:\n      - args: [\"uvicorn\", \"a:b\", \"--workers=2\"]\n        env:\n        - name: WEB_CONCURRENCY\n          value: \"4\"\n";
    says("d.yaml", env, &["8:35 uvicorn --workers 2 in Deployment cart", "10:17 WEB_CONCURRENCY=4 in Deployment cart"]);
    says("chart/values.yaml", "replicaCount: 2\nredis:\n  replicaCount: 3\n", &["1:15 replicaCount: 2"]);
    says("chart/values.yaml", "replicaCount: 1\nautoscaling:\n  enabled: false\n  maxReplicas: 9\n", &[]);
}

#[test]
fn commands_in_files() {
    says("Procfile", "web: uvicorn a:b --workers 4\n# web: gunicorn -w 9\n", &["1:18 uvicorn --workers 4"]);
    says(
        "Dockerfile",
        "FROM x\nRUN gunicorn -w 3 --check-config a:b\nCMD [\"gunicorn\", \"-w\", \"4\", \"a:b\"]\n",
        &["3:19 gunicorn -w 4"],
    );
    says(
        "Dockerfile.prod",
        "ENV WEB_CONCURRENCY=4\nENV WEB_CONCURRENCY 5\nCMD uvicorn a:b \\\n  # one\n  --workers 2\n",
        &["1:5 WEB_CONCURRENCY=4", "2:5 WEB_CONCURRENCY=5", "5:3 uvicorn --workers 2"],
    );
    says("Dockerfile", "CMD [\"uvicorn\", \"a:b\", \"--workers\", \"1\"]\n#CMD uvicorn a:b --workers 4\n", &[]);
    says(
        "cart.service",
        "[Service]\nEnvironment=X=1\nExecStart=/venv/bin/gunicorn -w 4 a:b\nExecStop=gunicorn -w 9\n",
        &["3:30 gunicorn -w 4"],
    );
    says(
        "gunicorn.conf.py",
        "workers = 4  # four\n# workers = 8\nworker_class = 'x'\n",
        &["1:1 workers = 4 of gunicorn"],
    );
    says("gunicorn.conf.py", "workers = 1\nthreads = 4\n", &[]);
    says(
        "ecosystem.config.js",
        "module.exports = { apps: [{\n  script: 'a.js',\n  instances: 'max',\n}] };\n",
        &["3:3 instances: max of pm2"],
    );
    says("ecosystem.config.cjs", "  instances: 1,\n  // instances: 4\n", &[]);
    says(
        "package.json",
        "{\n  \"scripts\": {\n    \"start\": \"pm2-runtime start dist/i.js -i max\",\n    \"test:load\": \"pm2 start x -i 4\",\n    \"dev\": \"tsx src/i.ts\"\n  }\n}\n",
        &["3:5 pm2-runtime -i max in script start"],
    );
    says("package.json", "{ \"workers\": 4, \"scripts\": { \"start\": \"node dist/i.js\" } }", &[]);
}

#[test]
fn platforms() {
    says(
        "fly.toml",
        "app = 'x'\n[http_service]\n  min_machines_running = 2\n# min_machines_running = 3\n",
        &["3:26 min_machines_running = 2"],
    );
    says("fly.toml", "[http_service]\nmin_machines_running = 1\n", &[]);
    says("fly.toml", "[processes]\napp = \"uvicorn a:b --workers 2\"\n", &["2:20 uvicorn --workers 2"]);
    says(
        "app.yaml",
        "runtime: python312\nentrypoint: gunicorn -w 4 a:b\nautomatic_scaling:\n  max_instances: 5\n",
        &["4:18 automatic_scaling.max_instances: 5", "2:22 gunicorn -w 4"],
    );
    says("app.yaml", "runtime: nodejs20\nmanual_scaling:\n  instances: 1\n", &[]);
    says("render.yaml", "services:\n  - type: web\n    numInstances: 3\n", &["3:19 numInstances: 3"]);
}

#[test]
fn serverless() {
    let worker = "a Cloudflare Worker, of which any number runs";
    says("wrangler.toml", "name = \"x\"\nmain = \"src/index.ts\"\n", &[&format!("2:9 {worker}")]);
    says("wrangler.toml", "name = \"x\"\npages_build_output_dir = \"dist\"\n", &[]);
    says("wrangler.jsonc", "{\n  // a worker\n  \"main\": \"src/index.ts\"\n}\n", &[&format!("3:3 {worker}")]);
    says("wrangler.json", "{ \"assets\": { \"directory\": \"x\" } }", &[]);
    says(
        "vercel.json",
        "{\n  \"functions\": { \"api/mcp.ts\": { \"maxDuration\": 60 } }\n}\n",
        &["2:3 Vercel functions"],
    );
    says("vercel.json", "{ \"functions\": {}, \"rewrites\": [] }", &[]);
    says("vercel.json", "{ \"builds\": [{ \"src\": \"x\", \"use\": \"@vercel/static\" }] }", &[]);
    says(
        "serverless.yml",
        "provider:\n  name: aws\nfunctions:\n  mcp:\n    handler: src/mcp.handler\n",
        &["5:14 a function of the Serverless Framework"],
    );
    says(
        "template.yaml",
        "Resources:\n  Mcp:\n    Type: AWS::Serverless::Function\n",
        &["3:11 a resource AWS::Serverless::Function"],
    );
    says("template.yaml", "Resources:\n  Table:\n    Type: AWS::DynamoDB::Table\n", &[]);
    says(
        "netlify.toml",
        "[build]\npublish = \"dist\"\n[functions]\nnode_bundler = \"esbuild\"\n",
        &["3:1 Netlify functions"],
    );
    says("netlify.toml", "[build]\npublish = \"dist\"\n", &[]);
}

#[test]
fn files_of_interest() {
    for name in ["docker-compose.prod.yml", "Dockerfile", "api.Dockerfile", "Procfile", "x.service", "wrangler.jsonc"] {
        assert!(deployment_of(name).is_some(), "{name}");
    }
    for name in ["pnpm-lock.yaml", "Cargo.toml", "dockerfile_parser.py", "tsconfig.json", "a.ts"] {
        assert_eq!(deployment_of(name), None, "{name}");
    }
}

/// Packages with manifests in these folders, and which of the servers a place speaks of.
#[track_caller]
fn belongs(manifests: &[&str], servers: &[&str], replicas: &Replicas, expected: &[&str]) {
    let dir = tempfile::tempdir().expect("a folder");
    for manifest in manifests {
        let path = dir.path().join(manifest);
        std::fs::create_dir_all(&path).expect("folders");
        std::fs::write(path.join("package.json"), "{\"name\": \"x\"}").expect("a manifest");
    }
    let options = crate::workspace::WalkOptions { paths: vec![dir.path().to_owned()], ..Default::default() };
    let packages = Packages::find(&crate::workspace::walk(&options).expect("walks"));
    assert_eq!(servers_of(replicas, servers, &packages), expected);
}

#[test]
fn whose_replicas() {
    let of = |path: &str, context: Option<&str>, names: &[&str]| Replicas {
        path: path.to_owned(),
        context: context.map(str::to_owned),
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        ..Replicas::default()
    };
    let two = ["packages/cart", "packages/desk"];
    belongs(&["."], &["."], &of("deploy/k8s/a.yaml", None, &["x"]), &["."]);
    belongs(&[".", "server"], &["server"], &of("docker-compose.yml", None, &["x"]), &["server"]);
    belongs(&[".", two[0], two[1]], &two, &of("packages/cart/fly.toml", None, &[]), &["packages/cart"]);
    belongs(&[".", two[0], two[1]], &two, &of("compose.yml", Some("./packages/desk"), &["x"]), &["packages/desk"]);
    belongs(&[".", two[0], two[1]], &two, &of("k8s/a.yaml", None, &["mcp-cart"]), &["packages/cart"]);
    // Another package's, and one of several: not known which.
    belongs(&[".", two[0], "packages/web"], &two[..1], &of("packages/web/fly.toml", None, &[]), &[]);
    belongs(&[".", two[0], two[1]], &two, &of("k8s/a.yaml", None, &["gate"]), &[]);
    belongs(&["."], &["."], &of("examples/scaled/compose.yml", None, &[]), &[]);
    belongs(&["."], &["examples/a"], &of("examples/b/compose.yml", None, &[]), &[]);
    belongs(&["."], &["examples/a"], &of("examples/a/deploy/compose.yml", None, &[]), &["examples/a"]);
    belongs(&["."], &["servers/redis"], &of("servers/redis/fly.toml", None, &[]), &["servers/redis"]);
    assert!(is_foreign("my-redis") && !is_foreign("redis-mcp") && !is_foreign("cart"));
    belongs(&["."], &["."], &of("charts/redis/values.yaml", None, &[]), &[]);
    belongs(&["."], &["."], &of("../compose.yml", None, &[]), &["."]);
}

proptest::proptest! {
    /// Whatever a file holds, reading it ends well, and places lie in it.
    #[test]
    fn any_text_is_read(text in "([ \\-:{}\\[\\]'\"#|>=,$()&;\\\\a-dé\\n]|replicas|services|kind|workers|-w|--workers|gunicorn|uvicorn|4|CMD|ENV|main|scripts){0,60}") {
        for name in ["compose.yml", "values.yaml", "serverless.yml", "app.yaml", "render.yaml", "fly.toml", "wrangler.toml", "netlify.toml", "wrangler.json", "vercel.json", "package.json", "Dockerfile", "Procfile", "x.service", "gunicorn.conf.py", "ecosystem.config.js"] {
            let kind = deployment_of(name).expect("a file of interest");
            for found in of_text(name, kind, &text) {
                proptest::prop_assert!(found.line >= 1 && found.column >= 1);
                proptest::prop_assert!(found.line as usize <= text.lines().count().max(1));
            }
        }
    }
}
