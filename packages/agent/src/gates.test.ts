/** What was announced and approved is what runs: arguments are rewritten, validated, announced, judged and run, in this order. */
import { expect, test } from "bun:test";

import { playModel, type Scenario } from "@tau/ai/testing";

import { collect, textOutcome, tool, type Collected } from "./testing/collect.ts";
import { asks, call, resultTexts } from "./testing/script.ts";
import type { JudgedPaths, ToolGate, Verdict } from "./tool-gate.ts";
import type { AgentTool } from "./types.ts";

/** A tool that accepts a text of letters, and returns what it ran with. */
function echo(ran: unknown[] = []): AgentTool {
	return tool(
		"echo",
		async (_id, params, _signal, _update, within) => {
			ran.push(params, ...(within ? [within] : []));
			return textOutcome(String(params.text));
		},
		{
			validate: ({ text, ...rest }) =>
				typeof text === "string" && /^\w+$/.test(text)
					? { ok: true, value: { text, ...rest } }
					: { ok: false, reason: "text: not a word" },
			touches: ({ text }) => [{ kind: "read", path: `/${String(text)}` }],
		},
	);
}

async function run(
	gates: readonly Partial<ToolGate>[],
	tools: AgentTool[] = [echo()],
	steps: Scenario["steps"] = [asks(call("echo", { text: "model" })), "Done."],
): Promise<Collected> {
	await using model = await playModel({ steps });
	const named = gates.map((gate, index) => ({ name: `Gate ${index + 1}`, ...gate }));
	return await collect({ url: model.anthropicUrl, tools, config: { toolGates: () => named } });
}

function started({ events }: Collected): unknown[] {
	return events.flatMap((event) => (event.type === "tool_execution_start" ? [event.args] : []));
}

function resultOf({ messages }: Collected) {
	const result = messages.find((message) => message.role === "toolResult");
	return result?.role === "toolResult" ? result : undefined;
}

test("regression: rewritten arguments are validated again, and a wrong rewrite names its author", async () => {
	const ran: unknown[] = [];
	const outcome = await run([{ rewrite: () => ({ arguments: { text: "not a word!" } }) }], [echo(ran)]);
	expect(resultTexts(outcome.messages)).toEqual([
		"Gate 1 changed the arguments of echo, and they are not valid: text: not a word",
	]);
	expect(resultOf(outcome)?.isError).toBe(true);
	expect(ran).toEqual([]);
});

test("each rewriter gets the result of the one before, and the last result is announced, judged, run and logged", async () => {
	const ran: unknown[] = [];
	const judged: unknown[] = [];
	const add =
		(letter: string): NonNullable<ToolGate["rewrite"]> =>
		({ arguments: { text } }) => ({ arguments: { text: `${String(text)}${letter}` } });
	const judge: ToolGate["judge"] = ({ arguments: args, touches, rewrittenBy }) => {
		judged.push({ args, touches, rewrittenBy });
		return undefined;
	};
	const outcome = await run([{ rewrite: add("A") }, { rewrite: add("B"), judge }], [echo(ran)]);
	const args = { text: "modelAB" };
	const by = ["Gate 1", "Gate 2"];
	expect({ started: started(outcome), ran }).toEqual({ started: [args], ran: [args] });
	expect(judged).toEqual([{ args, touches: [{ kind: "read", path: "/modelAB" }], rewrittenBy: by }]);
	expect(resultOf(outcome)?.rewritten).toEqual({ by, arguments: args });
	// The conversation keeps the model's own arguments.
	expect(JSON.stringify(outcome.messages[1])).toContain('"text":"model"');
});

test("a call without a rewrite has no rewrite fields", async () => {
	const outcome = await run([{ rewrite: () => undefined, judge: () => undefined }]);
	expect(resultOf(outcome)).not.toHaveProperty("rewritten");
	expect(resultTexts(outcome.messages)).toEqual(["model"]);
});

test("nothing can change the arguments after the rewriting, at any depth", async () => {
	const steps = [asks(call("echo", { text: "model", more: { list: [1] } })), "Done."];
	const meddle =
		(change: (args: Record<string, unknown>) => void): NonNullable<ToolGate["judge"]> =>
		({ arguments: args }) => {
			change(args as Record<string, unknown>);
			return undefined;
		};
	for (const judge of [
		meddle((args) => void (args.text = "evil")),
		meddle(({ more }) => void (more as { list: number[] }).list.push(2)),
	]) {
		const ran: unknown[] = [];
		const outcome = await run([{ judge }], [echo(ran)], steps);
		expect(ran).toEqual([]);
		expect(resultTexts(outcome.messages)[0]).toContain("echo was not run, because a check failed");
	}
});

test("a machine that a check cannot reach is named, and no check has failed", async () => {
	const lost = Object.assign(new Error("Cannot connect to box: Connection refused"), { code: "ECONNRESET" });
	const outcome = await run(
		[{ judge: () => Promise.reject(lost) }],
		[echo([])],
		[asks(call("echo", { text: "x" })), "Done."],
	);
	expect(resultTexts(outcome.messages)[0]).toBe(
		"echo was not run: Cannot connect to box: Connection refused",
	);
});

test("every gate is called, one denial is enough, and later gates know of it", async () => {
	const seen: unknown[] = [];
	const judging = (verdict: Verdict | undefined): Partial<ToolGate> => ({
		judge: ({ denied }) => {
			seen.push(denied);
			return verdict;
		},
	});
	const outcome = await run([
		judging({ allow: true }),
		judging({ allow: false, reason: "too loud" }),
		judging({ allow: false, reason: "too late" }),
		judging({ allow: true }),
	]);
	expect(resultTexts(outcome.messages)).toEqual(["too loud"]);
	expect(seen).toEqual([undefined, undefined, "too loud", "too loud"]);
	expect(started(outcome)).toEqual([{ text: "model" }]);
});

test("a denial while rewriting ends the rewriting; the call is announced and not run", async () => {
	const ran: unknown[] = [];
	let asked = false;
	const outcome = await run(
		[
			{ rewrite: () => ({ deny: "never" }) },
			{
				rewrite: () => {
					asked = true;
					return undefined;
				},
			},
		],
		[echo(ran)],
	);
	expect({ ran, asked, texts: resultTexts(outcome.messages) }).toEqual({
		ran: [],
		asked: false,
		texts: ["never"],
	});
	expect(started(outcome)).toEqual([{ text: "model" }]);
});

test("a gate that does not answer in time has not allowed the call", async () => {
	const never = (_call: unknown, signal: AbortSignal) =>
		new Promise<undefined>((_done, fail) => {
			signal.addEventListener("abort", () => fail(signal.reason));
		});
	for (const gate of [{ judge: never }, { rewrite: never }]) {
		const outcome = await run([{ ...gate, deadlineMs: 20 }]);
		expect(resultTexts(outcome.messages)).toEqual([
			"echo was not run, because a check failed: Gate 1 did not answer within 0 s",
		]);
	}
});

test("a gate is informed if another one rewrote the arguments that it had seen", async () => {
	const seen: boolean[] = [];
	const judge: ToolGate["judge"] = ({ changedSince }) => {
		seen.push(changedSince);
		return undefined;
	};
	await run([
		{ rewrite: () => undefined, judge },
		{ rewrite: () => ({ arguments: { text: "other" } }), judge },
		{ rewrite: () => undefined, judge },
	]);
	expect(seen).toEqual([true, false, false]);
});

test("what a gate has judged learns that the call has ended, or that another gate denies it", async () => {
	const ended: string[] = [];
	const judging = (name: string): Partial<ToolGate> => ({
		judge: () => ({
			allow: true,
			within: {
				realPath: (path) => path,
				allows: () => true,
				accepts: () => true,
				changed() {},
				ended: () => ended.push(name),
			},
		}),
	});
	await run([judging("one"), judging("two")]);
	expect(ended).toEqual(["one", "two"]);
	await run([judging("three"), { judge: () => ({ allow: false, reason: "no" }) }]);
	expect(ended).toEqual(["one", "two", "three"]);
});

test("what several gates have judged reaches the tool and those who change its result, and all must allow it", async () => {
	const ran: unknown[] = [];
	const changed: string[] = [];
	const within = (allowed: string[], real?: string): Partial<ToolGate> => ({
		judge: () => ({
			allow: true,
			within: {
				realPath: () => real,
				allows: (kind, path) => kind === "read" && allowed.includes(path),
				accepts: (path) => allowed.includes(path),
				changed: (path) => void changed.push(path),
			},
		}),
	});
	const seen: (JudgedPaths | undefined)[] = [];
	const last: Partial<ToolGate> = {
		change: (judgedCall) => {
			seen.push(judgedCall.within);
			return undefined;
		},
	};
	await run([within(["/a", "/b"]), within(["/b", "/c"], "/b"), last], [echo(ran)]);
	const judged = ran[1] as JudgedPaths;
	expect(seen).toEqual([judged]);
	expect(["/a", "/b", "/c"].map((path) => judged.allows("read", path))).toEqual([false, true, false]);
	expect(["/a", "/b", "/c"].map((path) => judged.accepts(path, "1"))).toEqual([false, true, false]);
	expect(judged.realPath("/link")).toBe("/b");
	judged.changed("/b");
	expect(changed).toEqual(["/b", "/b"]);
});

test("gates see the calls of an answer one after the other, in order", async () => {
	const seen: string[] = [];
	const gate: Partial<ToolGate> = {
		async rewrite({ arguments: { text } }) {
			seen.push(`rewrite ${String(text)}`);
			await new Promise(setImmediate);
			return undefined;
		},
		async judge({ arguments: { text } }) {
			seen.push(`judge ${String(text)}`);
			await new Promise(setImmediate);
			return undefined;
		},
	};
	const steps = [asks(call("echo", { text: "a" }), call("echo", { text: "b" })), "Done."];
	await run([gate], [echo()], steps);
	expect(seen).toEqual(["rewrite a", "judge a", "rewrite b", "judge b"]);
});

test("gates that fail to load block every call, and the run continues", async () => {
	await using model = await playModel({ steps: [asks(call("echo", { text: "a" })), "Done."] });
	const config = {
		toolGates: () => {
			throw new Error("no gates");
		},
	};
	const { messages } = await collect({ url: model.anthropicUrl, tools: [echo()], config });
	expect(resultTexts(messages)).toEqual(["The checks of the call failed: no gates"]);
	expect(messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
});

test("escape ends the wait for a gate", async () => {
	const stop = new AbortController();
	await using model = await playModel({ steps: [asks(call("echo", { text: "a" })), "Done."] });
	const gate: ToolGate = {
		name: "Slow",
		deadlineMs: Infinity,
		judge: () => {
			stop.abort();
			return new Promise<undefined>(() => {});
		},
	};
	const { messages } = await collect({
		url: model.anthropicUrl,
		tools: [echo()],
		signal: stop.signal,
		config: { toolGates: () => [gate] },
	});
	expect(resultTexts(messages)).toEqual(["Interrupted by the user."]);
});

test("a call that the user changes is validated and judged anew by every gate, and the model reads what ran", async () => {
	const ran: unknown[] = [];
	const judged: unknown[] = [];
	const note: ToolGate["judge"] = ({ arguments: { text }, changedSince, rewrittenBy }) => {
		judged.push([text, changedSince, ...rewrittenBy]);
		return undefined;
	};
	const user: ToolGate["judge"] = ({ arguments: { text } }) =>
		text === "model" ? { allow: true, asked: true, amended: { text: "mine" } } : { allow: true };
	const outcome = await run([{ judge: note }, { judge: user }, { judge: note }], [echo(ran)]);
	expect(ran).toEqual([{ text: "mine" }]);
	expect(judged).toEqual([
		["model", false],
		["mine", true, "The user"],
		["mine", true, "The user"],
	]);
	expect(resultTexts(outcome.messages).join()).toContain(
		"(the user changed this call before allowing it, and it ran with text: mine)",
	);
	expect(resultOf(outcome)?.rewritten).toEqual({ by: ["The user"], arguments: { text: "mine" } });
});

test("a denial wins over what the user has changed, and changes that the tool does not accept do not run", async () => {
	const amend = (text: string): NonNullable<ToolGate["judge"]> => {
		return ({ arguments: args }) => (args.text === "model" ? { allow: true, amended: { text } } : undefined);
	};
	const deny: NonNullable<ToolGate["judge"]> = ({ arguments: { text } }) =>
		text === "bad" ? { allow: false, reason: "not this" } : undefined;
	const ran: unknown[] = [];
	const denied = await run([{ judge: deny }, { judge: amend("bad") }], [echo(ran)]);
	expect(resultTexts(denied.messages)).toEqual(["not this"]);
	const invalid = await run([{ judge: amend("not a word!") }], [echo(ran)]);
	expect(resultTexts(invalid.messages)).toEqual([
		"The user changed the arguments of echo, and they are not valid: text: not a word",
	]);
	expect(ran).toEqual([]);
});
