/** Decides what the demo says or does next, from nothing but the conversation. */
import type { Context } from "@tau/ai";
import { fill } from "@tau/utils";

import { describe } from "./describe.ts";
import { create, read, replace } from "./files.ts";
import { find } from "./find.ts";
import { type Intent, readIntent } from "./intent.ts";
import { limits } from "./limits.ts";
import { run, runTests } from "./run.ts";
import { type Piece, say, type Step } from "./step.ts";
import { block, code, gist, paragraphs, plural, sentence } from "./text.ts";
import abilities from "./texts/abilities.md" with { type: "text" };
import greeting from "./texts/greeting.md" with { type: "text" };
import notUnderstood from "./texts/not-understood.md" with { type: "text" };
import signature from "./texts/signature.md" with { type: "text" };
import thinking from "./texts/think.md" with { type: "text" };
import thought from "./texts/thought.md" with { type: "text" };
import { tour } from "./tour.ts";
import { intro, readTurn, type Turn } from "./turn.ts";

export function plan(context: Context): Step {
	const turn = readTurn(context);
	const intent = readIntent(turn.prompt);
	// A tool that the user names may be one that is found later, which a model calls by its name as well.
	const known = intent.kind === "call" ? { ...turn, tools: turn.tools.union(new Set([intent.tool])) } : turn;
	const step = within(next(intent, turn), known);
	if (turn.introduced === "no") return [say(intro), ...step];
	// Some modes show only the last answer to a prompt; the first time it says there, too, that it is the demo.
	const isLast = !step.some((piece) => piece.kind === "call");
	return turn.introduced === "in this answer" && isLast ? [...step, say(fill(signature))] : step;
}

function next(intent: Intent, turn: Turn): Step {
	switch (intent.kind) {
		case "describe":
			return describe(turn);
		case "find":
			return find(intent.what, turn);
		case "read":
			return read(intent, turn);
		case "run":
			return run(intent, turn);
		case "test":
			return runTests(intent, turn);
		case "replace":
			return replace(intent, turn);
		case "create":
			return create(intent, turn);
		case "call":
			return callTool(intent, turn);
		case "tour":
			return tour(turn, 1);
		case "next":
			return turn.tourStop > 0 ? tour(turn, turn.tourStop + 1) : connect(turn);
		case "think":
			return thinkAbout(intent.about);
		case "stream":
			return streamLines(intent.lines);
		case "greet":
			return [say(fill(greeting))];
		case "other":
			return connect(turn);
	}
}

/** A step that is not possible becomes one that says so. */
function within(step: Step, { tools, rounds }: Turn): Step {
	const calls = step.filter((piece) => piece.kind === "call");
	const missing = calls.find((call) => !tools.has(call.tool));
	if (missing) {
		const enabled = [...tools].map(code).join(", ") || "none";
		return [
			say(`This needs the ${code(missing.tool)} tool, which is not enabled. Enabled tools: ${enabled}.`),
		];
	}
	if (calls.length > 0 && rounds.length + 1 >= limits.turns)
		return [say(`I stop here: the demo takes at most ${plural(limits.turns, "answer")} per prompt.`)];
	if (calls.some(isTooLong)) {
		const most = plural(limits.commandBytes, "byte");
		return [say(`That is too long for one shell command (at most ${most}), so I did not run it.`)];
	}
	return step;
}

function isTooLong({ arguments: { command } }: Extract<Piece, { kind: "call" }>): boolean {
	return typeof command === "string" && Buffer.byteLength(command) > limits.commandBytes;
}

/** Calls a tool the way a model would, and shows what came back. */
function callTool(request: Extract<Intent, { kind: "call" }>, turn: Turn): Step {
	const { tool, problem } = request;
	if (problem !== undefined) return [say(`The arguments of ${code(tool)} are not JSON: ${problem}`)];
	const outcome = turn.rounds[0]?.[0];
	if (!outcome) return [say(`Calling ${code(tool)}.`), { kind: "call", tool, arguments: request.arguments }];
	return [
		say(
			paragraphs(
				`${code(tool)} ${outcome.failed ? "failed" : "returned"}:`,
				outcome.image ? "The result includes an image." : undefined,
				outcome.text.trim() === "" ? undefined : block(gist(outcome.text)),
			),
		),
	];
}

/** Shows what streamed thinking looks like, and does not pretend that it is any. */
function thinkAbout(about: string): Step {
	const topic = sentence(about);
	const words = String(about.split(/\s+/).length);
	return [
		{ kind: "thinking", text: fill(thinking, { topic, words }), always: true },
		say(fill(thought, { topic })),
	];
}

function streamLines(lines: number): Step {
	if (lines === 0) return [say("You asked for no lines, so none were streamed.")];
	const sample: Piece = { kind: "sample", lines: Math.min(lines, limits.sampleLines) };
	if (lines <= limits.sampleLines) return [sample];
	return [say(`The demo streams at most ${plural(limits.sampleLines, "line")}; here they are.`), sample];
}

/** How to connect a real model: in full once; who has read it needs no more than a reminder. */
function connect({ hasExplained }: Turn): Step {
	if (hasExplained)
		return [
			say("That needs a real model, too: `/login` connects one. `tour` shows what can be tried without."),
		];
	return [say(fill(notUnderstood)), { kind: "connection" }, say(fill(abilities))];
}
