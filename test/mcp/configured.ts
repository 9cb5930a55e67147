/** A program with MCP servers in its files, and what its requests contained. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { samples } from "../support/depth.ts";
import { writeTestFile } from "../support/files.ts";
import { root, type Launched } from "../support/launch.ts";

export const model = ["--model", "played/played-1"];
export const bun = join(root, "node_modules/.bin/bun");

/** More than the 16 MB that an answer may have. */
export const hugeMb = String(samples(100, 24));

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
	tau: Pick<Launched, "agentDir">,
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

/** Whether the model can search for tools of servers. */
export const searchesServers = (tau: Launched, request: number): boolean =>
	JSON.stringify(requestOf(tau, request).tools).includes("tools of the MCP servers");
export const toolNames = (tau: Launched, request: number): string[] =>
	requestOf(tau, request).tools.map(({ name }) => name);

/** The last message of a request: the results of tools. */
export const lastResult = (tau: Launched, request: number): string =>
	JSON.stringify(requestOf(tau, request).messages.at(-1)?.content);

/** The process id that a server wrote into a file; 0 before. */
export function pidIn(file: string): number {
	return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
}

/** A process that has ended and was not waited for does not run. */
export function isRunning(pid: number): boolean {
	try {
		return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.[0] !== "Z";
	} catch {
		return false;
	}
}

export async function until(what: string, condition: () => boolean): Promise<void> {
	const deadline = performance.now() + 60_000;
	while (!condition()) {
		if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
		await Bun.sleep(10);
	}
}
