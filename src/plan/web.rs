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
    /// `(ctx) => …` with the answer in `ctx.status` and `ctx.body`, the platform's objects as `ctx.req` and `ctx.res`.
    Koa,
    /// `(req, res) => …`, given to `createServer`.
    Node,
    /// `(request) => Response`.
    Web,
}

/// Packages whose handlers have a shape of their own, which edits don't know: some look like those of Express and are not.
const OTHERS: &[&str] = &[
    "@adonisjs/core",
    "@feathersjs/express",
    "@hapi/hapi",
    "@nestjs/common",
    "@nestjs/core",
    "@oak/oak",
    "connect",
    "elysia",
    "find-my-way",
    "h3",
    "hyper-express",
    "itty-router",
    "micro",
    "next",
    "next/server",
    "nitro",
    "nitropack",
    "polka",
    "restana",
    "restify",
    "router",
    "sails",
    "tinyhttp",
    "@tinyhttp/app",
    "uWebSockets.js",
];

impl Framework {
    /// That of a package; `None` for one that is not known.
    pub fn of_package(package: &str) -> Option<Self> {
        match package {
            "express" | "@types/express" | "express-serve-static-core" | "express-promise-router" => {
                Some(Self::Express)
            }
            "@modelcontextprotocol/express" | "@modelcontextprotocol/sdk" => Some(Self::Express),
            "fastify" | "fastify-plugin" | "@modelcontextprotocol/fastify" => Some(Self::Fastify),
            "koa" | "@koa/router" | "koa-router" | "@types/koa" => Some(Self::Koa),
            "http" | "https" | "http2" | "node:http" | "node:https" | "node:http2" => Some(Self::Node),
            name if name == "hono" || name.starts_with("@hono/") || name == "@modelcontextprotocol/hono" => {
                Some(Self::Hono)
            }
            _ => None,
        }
    }

    /// Whether a package is a web framework, known or not.
    pub fn is_one(package: &str) -> bool {
        OTHERS.contains(&package) || Self::of_package(package).is_some_and(|framework| framework != Self::Node)
    }

    /// What handlers call request and response where nothing says otherwise; the response is empty where they have none.
    pub fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Hono => ("c", ""),
            Self::Koa => ("ctx", ""),
            Self::Fastify => ("request", "reply"),
            Self::Web => ("request", ""),
            Self::Express | Self::Node => ("req", "res"),
        }
    }

    /// Whether handlers are given one object that is request and response.
    pub fn has_context(self) -> bool {
        matches!(self, Self::Hono | Self::Koa)
    }

    /// Whether a handler returns its answer, instead of writing it.
    pub fn returns(self) -> bool {
        matches!(self, Self::Hono | Self::Web)
    }
}
