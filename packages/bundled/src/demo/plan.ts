/** Decides what the demo says or does next, from nothing but the conversation. */
import type { Context } from "@tau/ai";
import { fill } from "@tau/utils";

import { type Intent, readIntent } from "./intent.ts";
import { intro } from "./intro.ts";
import { limits } from "./limits.ts";
import { code, plural } from "./markdown.ts";
import { callTool } from "./plans/call-tool.ts";
import { connect } from "./plans/connect.ts";
import { create } from "./plans/create.ts";
import { describe } from "./plans/describe.ts";
import { find } from "./plans/find.ts";
import { greet } from "./plans/greet.ts";
import { read } from "./plans/read.ts";
import { replace } from "./plans/replace.ts";
import { run } from "./plans/run.ts";
import { streamLines } from "./plans/stream-lines.ts";
import { thinkAbout } from "./plans/think.ts";
import { tour } from "./plans/tour.ts";
import { type Piece, say, type Step } from "./step.ts";
import signature from "./texts/signature.md" with { type: "text" };
import tooLong from "./texts/too-long.md" with { type: "text" };
import tooManyTurns from "./texts/too-many-turns.md" with { type: "text" };
import toolMissing from "./texts/tool-missing.md" with { type: "text" };
import { readTurn, type Turn } from "./turn.ts";

export function plan(context: Context): Step {
	const turn = readTurn(context);
	const intent = readIntent(turn.prompt);
	// A tool that the user names may be one that is found later, which a model calls by its name as well.
	const known = intent.kind === "call" ? { ...turn, tools: turn.tools.union(new Set([intent.tool])) } : turn;
	const step = within(next(intent, turn), known);
	if (turn.introduced === "no") return [say(intro), ...step];
	// Some modes show only the last answer to a prompt; the first time it says there, too, that it is the demo.
	const last = !step.some((piece) => piece.kind === "call");
	return turn.introduced === "in this answer" && last ? [...step, say(fill(signature))] : step;
}

function next(intent: Intent, turn: Turn): Step {
	switch (intent.kind) {
		case "describe":
			return describe(turn);
		case "find":
			return find(intent, turn);
		case "read":
			return read(intent, turn);
		case "run":
			return run(intent, turn);
		case "replace":
			return replace(intent, turn);
		case "call":
			return callTool(intent, turn);
		case "create":
			return create(intent, turn);
		case "tour":
			return tour(turn, 1);
		case "next":
			return turn.tourStop > 0 ? tour(turn, turn.tourStop + 1) : connect(turn);
		case "think":
			return thinkAbout(intent);
		case "stream":
			return streamLines(intent);
		case "greet":
			return greet();
		case "other":
			return connect(turn);
	}
}

/** A step that is not possible becomes one that says so. */
function within(step: Step, turn: Turn): Step {
	const calls = step.filter((piece) => piece.kind === "call");
	if (calls.length === 0) return step;
	const missing = calls.find((call) => !turn.tools.has(call.tool));
	if (missing) {
		const tools = [...turn.tools].map(code).join(", ") || "none";
		return [say(fill(toolMissing, { tool: code(missing.tool), tools }))];
	}
	if (turn.rounds.length + 1 >= limits.turns) {
		return [say(fill(tooManyTurns, { turns: plural(limits.turns, "answer") }))];
	}
	if (calls.some(isTooLong)) {
		return [say(fill(tooLong, { bytes: plural(limits.commandBytes, "byte") }))];
	}
	return step;
}

function isTooLong(call: Extract<Piece, { kind: "call" }>): boolean {
	const { command } = call.arguments;
	return typeof command === "string" && Buffer.byteLength(command) > limits.commandBytes;
}
