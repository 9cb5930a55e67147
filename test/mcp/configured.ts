/** A program with MCP servers in its files, and what its requests contained. */
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { writeTestFile } from "../support/files.ts";
import { root, type Launched } from "../support/launch.ts";

export const model = ["--model", "played/played-1"];
const bun = join(root, "node_modules/.bin/bun");

export const call = (name: string, args: Record<string, unknown>): Scenario["steps"][number] => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});

/** The server of this folder, which does nothing wrong. */
export function plain(env: Record<string, string> = {}, more: object = {}): object {
	return { command: bun, args: [join(import.meta.dir, "plain-server.ts")], env, ...more };
}

/** A server that misbehaves. */
export function faulty(
	faults: readonly string[],
	env: Record<string, string> = {},
	more: object = {},
): object {
	const file = join(root, "test/support/mcp/fault-server.ts");
	return { command: bun, args: [file, ...faults], env, ...more };
}

export function configure(
	tau: Launched,
	servers: Record<string, object>,
	file = join(tau.agentDir, "mcp.json"),
): void {
	writeTestFile(file, JSON.stringify({ mcpServers: servers }));
}

interface Request {
	tools: { name: string; description: string }[];
	messages: { content: unknown }[];
}

export function requestOf(tau: Launched, request: number): Request {
	const { body } = tau.played.requests[request] ?? {};
	// The played model was asked by the protocol of Anthropic.
	return body as Request;
}

export const toolNames = (tau: Launched, request: number): string[] =>
	requestOf(tau, request).tools.map(({ name }) => name);

/** The last message of a request: the results of tools. */
export const lastResult = (tau: Launched, request: number): string =>
	JSON.stringify(requestOf(tau, request).messages.at(-1)?.content);
