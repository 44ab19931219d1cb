#!/usr/bin/env node
import { randomUUID } from "node:crypto";
import express, { Request, Response } from "express";
import cors from "cors";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const cache = new Map<string, string>();

async function main() {
	// The one server.
	const server = new McpServer({ name: "words", version: "1.0.0" });

	// Tools
	server.tool("upper", "Upper-case a word.", { word: z.string() }, async ({ word }) => ({
		content: [{ type: "text", text: cache.get(word) ?? word.toUpperCase() }],
	}));

	registerMore(server);
	server.server.onerror = (error) => console.error("[mcp]", error);

	if (process.argv.includes("--stdio")) {
		await server.connect(new StdioServerTransport());
		return;
	}

	const app = express();
	app.use(express.json());
	app.use(cors({ origin: "*", exposedHeaders: ["Mcp-Session-Id", "X-Request-Id"] }));

	const transport = new StreamableHTTPServerTransport({
		sessionIdGenerator: () => randomUUID(),
		enableJsonResponse: true,
	});
	await server.connect(transport);

	app.post("/mcp", async (req: Request, res: Response) => {
		await transport.handleRequest(req, res, req.body);
	});
	app.get("/mcp", async (req: Request, res: Response) => {
		await transport.handleRequest(req, res);
	});
	app.delete("/mcp", async (req: Request, res: Response) => {
		await transport.handleRequest(req, res);
	});

	const http = app.listen(Number(process.env.PORT ?? 3000));

	process.on("SIGTERM", async () => {
		await transport.close();
		await server.close();
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
