/** An hour of ordinary work in the mode auto asks at most three times, even where nothing contains commands. */
// takes 25 s
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { samples } from "../support/depth.ts";
import { launch, type Launched } from "../support/launch.ts";
import { isEvent, model, startRpc, type Frame } from "./rpc-process.ts";

interface Call {
	name: string;
	arguments: Record<string, unknown>;
}

const bash = (command: string): Call => ({ name: "bash", arguments: { command } });
const read = (path: string): Call => ({ name: "read", arguments: { path } });
const write = (path: string, content: string): Call => ({ name: "write", arguments: { path, content } });

/** One task: look, edit, test, fix, test again, commit on a feature branch. */
function task(nr: number): Call[] {
	const file = `src/part-${nr}.js`;
	return [
		bash("git status --short && git log --oneline -5"),
		bash(`git switch -q -c feature-${nr}`),
		{ name: "grep", arguments: { pattern: "part", path: "." } },
		{ name: "find", arguments: { pattern: "**/*.js" } },
		bash("ls -la src | head -20; cat package.json | grep test"),
		read("package.json"),
		write(file, `module.exports = ${nr};\n`),
		bash(`mkdir -p docs && cp ${file} docs/`),
		bash("npm test --silent"),
		write(file, `module.exports = ${nr} + 1;\n`),
		bash("npm test --silent 2>&1 | tail -5"),
		bash("git diff --stat && git diff | head -50"),
		bash(`git add -A && git commit -q -m "Part ${nr}"`),
		bash("rm -rf docs && git status"),
		bash("git add -A && git commit -q -m 'No copies'"),
	];
}

async function prepare(tau: Launched): Promise<void> {
	writeFileSync(join(tau.project, "package.json"), `{"name":"x","scripts":{"test":"node --version"}}\n`);
	const git = `git init -q && git config user.email a@b.c && git config user.name A && mkdir src && echo 1 > src/a.js && git add -A && git commit -q -m start`;
	const child = Bun.spawn(["bash", "-c", git], { cwd: tau.project, env: tau.env });
	expect(await child.exited).toBe(0);
}

function approvals(frames: readonly Frame[]): { id: string; reason: string }[] {
	return frames.flatMap((frame) => {
		const { request } = frame as { request?: { kind: string; id: string; reason: string } };
		return frame.type === "request_opened" && request?.kind === "approval" ? [request] : [];
	});
}

/** Answers every approval for the session, and returns the reasons of all of them. */
async function work(container: string): Promise<string[]> {
	const calls = Array.from({ length: samples(4, 2) }, (_, at) => task(at + 1)).flat();
	const steps = calls.map((toolCall) => ({ answer: { blocks: [{ toolCall }] } }));
	await using tau = await launch({ steps: [...steps, "Done."] });
	await prepare(tau);
	const env = { TAU_SANDBOX: "off", TAU_CONTAINER: container };
	await using rpc = startRpc(tau, [...model, "--approval-mode", "auto"], env);
	await rpc.ask({ type: "set_request_kinds", kinds: ["approval"] });
	await rpc.ask({ type: "prompt", message: "go" });
	for (let answered = 0; ; answered++) {
		await rpc.until((frame) => frame.type === "agent_end" || approvals(rpc.frames).length > answered);
		const next = approvals(rpc.frames)[answered];
		if (!next) break;
		await rpc.ask({ type: "answer_request", requestId: next.id, answer: { choice: "session" } });
	}
	await rpc.until(isEvent("agent_end"));
	const results = tau.played.requests.at(-1)?.rawBody ?? "";
	expect(results).not.toContain("was not run");
	expect(tau.played.requests).toHaveLength(steps.length + 1);
	return approvals(rpc.frames).map(({ reason }) => reason);
}

needs("git")(
	"inside a container there is no question",
	async () => {
		expect(await work("test")).toEqual([]);
	},
	180_000,
);

needs("git")(
	"without a boundary there are at most three",
	async () => {
		const reasons = await work("none");
		expect(reasons.length).toBeLessThanOrEqual(3);
	},
	180_000,
);
