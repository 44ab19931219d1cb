#!/usr/bin/env node
import express, { NextFunction, Request, Response } from "express";
import cors from "cors";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";
import { once } from "node:events";

const cache = new Map<string, string>();

async function main() {
	/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */
	function buildServer(): McpServer {
		const server = new McpServer({ name: "words", version: "1.0.0" });

		// Tools
		server.tool("upper", "Upper-case a word.", { word: z.string() }, async ({ word }) => ({
			content: [{ type: "text", text: cache.get(word) ?? word.toUpperCase() }],
		}));

		registerMore(server);
		server.server.onerror = (error) => console.error("[mcp]", error);

		return server;
	}

	if (process.argv.includes("--stdio")) {
		await buildServer().connect(new StdioServerTransport());
		return;
	}

	const app = express();
	app.use(express.json());
	app.use(cors({ origin: "*", exposedHeaders: ["X-Request-Id"] }));

	// Requests being answered, so that shutdown can wait for them.
	const inFlight = new Set<Response>();
	let draining = false;

	const track = (_req: Request, res: Response, next: NextFunction) => {
		if (draining) {
			res
				.status(503)
				.set("Connection", "close")
				.json({
					jsonrpc: "2.0",
					error: { code: -32000, message: "Server is shutting down" },
					id: null,
				});
			return;
		}
		inFlight.add(res);
		res.on("close", () => inFlight.delete(res));
		next();
	};

	app.post("/mcp", track, async (req: Request, res: Response) => {
		try {
			const server = buildServer();
			const transport = new StreamableHTTPServerTransport({
				sessionIdGenerator: undefined,
				enableJsonResponse: true,
			});
			res.on("close", () => void server.close());
			await server.connect(transport);
			await transport.handleRequest(req, res, req.body);
		} catch (error) {
			console.error("request failed", error);
			if (!res.headersSent) {
				res.status(500).json({
					jsonrpc: "2.0",
					error: { code: -32603, message: "Internal server error" },
					id: null,
				});
			}
		}
	});

	const methodNotAllowed = (_req: Request, res: Response) => {
		res
			.status(405)
			.set("Allow", "POST")
			.json({
				jsonrpc: "2.0",
				error: { code: -32000, message: "Method not allowed." },
				id: null,
			});
	};

	app.get("/mcp", methodNotAllowed);
	app.delete("/mcp", methodNotAllowed);

	const http = app.listen(Number(process.env.PORT ?? 3000));

	process.on("SIGTERM", async () => {
		draining = true;
		await Promise.allSettled([...inFlight].map((res) => once(res, "close", { signal: AbortSignal.timeout(10_000) })));
		http.close();
	});
}

function registerMore(server: McpServer) {
	server.registerTool("lower", { description: `Lower-case
a word.`, inputSchema: { word: z.string() } }, async ({ word }) => ({
		content: [{ type: "text", text: word.toLowerCase() }],
	}));
}

main().catch((error) => {
	console.error(error);
	process.exit(1);
});
