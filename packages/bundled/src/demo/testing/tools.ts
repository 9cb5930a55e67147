/** A read and a bash tool for the demo's tests: small, but they use a real folder and a real bash. */
import { resolve } from "node:path";

import type { AgentTool, AgentToolResult, Validated } from "@tau/agent";

export function testTools(cwd: string): AgentTool[] {
	return [readTool(cwd), bashTool(cwd)];
}

function readTool(cwd: string): AgentTool {
	return {
		name: "read",
		label: "Read",
		description: "Reads a file.",
		parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
		concurrency: "shared",
		approval: "read",
		validate: needs("path"),
		async execute(_id, { path, offset = 1, limit = 2_000 }) {
			const text = await Bun.file(resolve(cwd, String(path))).text();
			const lines = text.replace(/\n$/, "").split("\n");
			const from = Number(offset) - 1;
			const shown = lines.slice(from, from + Number(limit));
			const body = shown.map((line, index) => `${String(from + index + 1).padStart(6)}\t${line}`).join("\n");
			const rest = lines.length - from - shown.length;
			return result(rest > 0 ? `${body}\n[${rest} more lines]` : body);
		},
	};
}

function bashTool(cwd: string): AgentTool {
	return {
		name: "bash",
		label: "Bash",
		description: "Runs a command.",
		parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
		concurrency: "exclusive",
		approval: "read",
		validate: needs("command"),
		async execute(_id, { command }, signal) {
			// Both outputs share one pipe, as in a terminal.
			const child = Bun.spawn(["bash", "-c", `exec 2>&1\n${String(command)}`], {
				cwd,
				signal,
				stdin: "ignore",
			});
			const [output, exitCode] = await Promise.all([child.stdout.text(), child.exited]);
			if (exitCode === 0) return result(output || "(no output)");
			return { ...result(`${output}\n\nCommand exited with code ${exitCode}`), isError: true };
		},
	};
}

function needs(field: string): (input: Record<string, unknown>) => Validated {
	return (input) =>
		typeof input[field] === "string"
			? { ok: true, value: input }
			: { ok: false, reason: `${field} must be a string` };
}

function result(text: string): AgentToolResult {
	return { content: [{ type: "text", text }] };
}
