/** A plan over RPC: the client reads it as a question, sends it back, and approves it; the mode is restored. */
import { expect, test } from "bun:test";

import { launch } from "../support/launch.ts";
import { isEvent, model, startRpc, type Frame } from "./rpc-process.ts";

const plan = {
	answer: {
		blocks: [
			{ toolCall: { name: "submit_plan", arguments: { plan: "Do it.", steps: ["first", "second"] } } },
		],
	},
};

interface Opened extends Frame {
	request: { id: string; questions: { question: string; options: { label: string }[] }[] };
}

function isQuestion(frame: Frame): boolean {
	const { request } = frame as { request?: { kind?: string } };
	return frame.type === "request_opened" && request?.kind === "questions";
}

test("a client reads, sends back and approves a plan", async () => {
	await using tau = await launch({ steps: [plan, plan, "Working."] });
	await using rpc = startRpc(tau, [...model, "--approval-mode", "ask"]);
	await rpc.ask({ type: "set_request_kinds", kinds: ["questions"] });
	await rpc.ask({ type: "set_approval_mode", mode: "plan" });
	await rpc.ask({ type: "prompt", message: "plan it" });
	const first = (await rpc.until(isQuestion)) as Opened;
	const [question] = first.request.questions;
	expect(question?.question).toContain("Do it.");
	expect(question?.options.map(({ label }) => label)).toEqual([
		"Approve",
		"Approve in a fresh context",
		"Edit the plan",
		"Keep planning, with feedback",
	]);
	const back = { answers: [{ id: "plan", chosen: [], text: "Test it too." }] };
	await rpc.ask({ type: "answer_request", requestId: first.request.id, answer: back });
	const second = (await rpc.until(isQuestion, rpc.frames.indexOf(first) + 1)) as Opened;
	const yes = { answers: [{ id: "plan", chosen: ["Approve"] }] };
	await rpc.ask({ type: "answer_request", requestId: second.request.id, answer: yes });
	await rpc.until(isEvent("agent_end"));
	expect(tau.played.requests[1]?.rawBody).toContain("The user sent the plan back: Test it too.");
	const modes = rpc.frames.flatMap((frame) => (frame.type === "approval_mode_changed" ? [frame.mode] : []));
	expect(modes).toEqual(["plan", "ask"]);
});

test("plan mode is back after a resume until it was left, and a mode of the command line is newer", async () => {
	await using tau = await launch({ steps: [], fallback: "Seen." });
	const modeOf = async (args: readonly string[], change?: string): Promise<unknown> => {
		await using rpc = startRpc(tau, [...model, ...args]);
		const { data } = await rpc.ask({ type: "get_state" });
		if (change !== undefined) {
			await rpc.ask({ type: "set_approval_mode", mode: change });
			await rpc.ask({ type: "prompt", message: "look" });
			await rpc.until(isEvent("agent_end"));
		}
		return (data as { approvalMode: string }).approvalMode;
	};
	expect(await modeOf([], "plan")).toBe("auto");
	expect(await modeOf(["-c"])).toBe("plan");
	expect(await modeOf(["-c", "--approval-mode", "ask"])).toBe("ask");
	expect(await modeOf(["-c"], "auto")).toBe("plan");
	expect(await modeOf(["-c"])).toBe("auto");
});
