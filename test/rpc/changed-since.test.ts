/** What changes while a question is open is judged and asked about anew: a yes holds for what was shown. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { launch } from "../support/launch.ts";
import { isEvent, model, startRpc, type Frame, type RpcProcess } from "./rpc-process.ts";

const env = { TAU_SANDBOX: "off", TAU_CONTAINER: "none" };
const asking = [...model, "--approval-mode", "ask"];

function call(name: string, args: Record<string, unknown>): Scenario["steps"][number] {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

interface Approval extends Frame {
	request: { id: string; kind: string; reason?: string; preview?: { text: string } };
}

function isApproval(frame: Frame): frame is Approval {
	return frame.type === "request_opened" && (frame as Approval).request.kind === "approval";
}

/** The approval number `count`, from 1. */
async function approval(rpc: RpcProcess, count: number): Promise<Approval["request"]> {
	const ofCount = (frame: Frame): boolean => rpc.frames.filter(isApproval)[count - 1] === frame;
	return ((await rpc.until(ofCount)) as Approval).request;
}

const answer = (rpc: RpcProcess, requestId: string, choice: string): Promise<Frame> =>
	rpc.ask({ type: "answer_request", requestId, answer: { choice } });

async function started(tau: Awaited<ReturnType<typeof launch>>): Promise<RpcProcess> {
	const rpc = startRpc(tau, asking, env);
	await rpc.ask({ type: "set_request_kinds", kinds: ["approval"] });
	await rpc.ask({ type: "prompt", message: "go" });
	return rpc;
}

test("a link that is exchanged while the question is open: the call is asked about again, with where it leads now", async () => {
	await using tau = await launch({
		steps: [call("write", { path: "d/note.txt", content: "hello\n" }), "Done."],
	});
	const outside = join(tau.home, "outside");
	for (const directory of [outside, join(tau.project, "real")]) mkdirSync(directory);
	symlinkSync("real", join(tau.project, "d"));
	await using rpc = await started(tau);
	const first = await approval(rpc, 1);
	expect(first.reason).toContain("d/note.txt");
	symlinkSync(outside, join(tau.project, "t"));
	renameSync(join(tau.project, "t"), join(tau.project, "d"));
	await answer(rpc, first.id, "once");
	const second = await approval(rpc, 2);
	expect(second.reason).toContain("changed since you approved it");
	expect(second.reason).toContain("outside/note.txt");
	await answer(rpc, second.id, "no");
	await rpc.until(isEvent("agent_end"));
	expect(existsSync(join(outside, "note.txt"))).toBe(false);
	expect(existsSync(join(tau.project, "real/note.txt"))).toBe(false);
});

const before = "# dev\nlimit = 1\n# prod\nlimit = 9\n";
const meanwhile = "# dev\nlimit = 7\n# prod\nlimit = 1\n";
const edit = call("edit", { path: "a.txt", edits: [{ oldText: "limit = 1", newText: "limit = 2" }] });

test("a file that changes while its diff is shown: the new diff is asked about", async () => {
	await using tau = await launch({ steps: [edit, "Done."] });
	const path = join(tau.project, "a.txt");
	writeFileSync(path, before);
	await using rpc = await started(tau);
	const first = await approval(rpc, 1);
	expect(first.preview?.text).toContain("# dev");
	writeFileSync(path, meanwhile);
	await answer(rpc, first.id, "once");
	const second = await approval(rpc, 2);
	expect(second.reason).toContain("a.txt changed since you approved it");
	expect(second.preview?.text).toContain("# prod");
	await answer(rpc, second.id, "no");
	await rpc.until(isEvent("agent_end"));
	expect(readFileSync(path, "utf8")).toBe(meanwhile);
});

test("a yes to the new diff makes exactly that change; a file that stays is asked about once", async () => {
	await using tau = await launch({ steps: [edit, "Done."] });
	const path = join(tau.project, "a.txt");
	writeFileSync(path, before);
	await using rpc = await started(tau);
	const first = await approval(rpc, 1);
	writeFileSync(path, meanwhile);
	await answer(rpc, first.id, "once");
	const second = await approval(rpc, 2);
	await answer(rpc, second.id, "once");
	await rpc.until(isEvent("agent_end"));
	expect(readFileSync(path, "utf8")).toBe("# dev\nlimit = 7\n# prod\nlimit = 2\n");
	expect(rpc.frames.filter(({ type }) => type === "request_opened")).toHaveLength(2);
});

test("a call whose files change with every question is not run", async () => {
	await using tau = await launch({ steps: [edit, "Done."] });
	const path = join(tau.project, "a.txt");
	writeFileSync(path, before);
	await using rpc = await started(tau);
	for (let count = 1; count <= 4; count++) {
		const { id } = await approval(rpc, count);
		writeFileSync(path, `# round ${count}\n${before}`);
		await answer(rpc, id, "once");
	}
	await rpc.until(isEvent("agent_end"));
	expect(readFileSync(path, "utf8")).toBe(`# round 4\n${before}`);
	expect(JSON.stringify(tau.played.requests.at(-1))).toContain("changed each time while the user was asked");
});
