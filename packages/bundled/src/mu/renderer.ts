/** The condensed look: a line for each call, and only the essential part of its result. */
import type { AgentToolResult } from "@tau/agent";
import { Container, countChanges, diffIn, truncateToWidth, type Component, type Theme } from "@tau/tui";
import { isRecord, oneLine, stripControls, textsAt } from "@tau/utils";
import type {
	ToolCallState,
	ToolRenderContext,
	ToolRenderer,
	ExtensionAPI,
	ExtensionContext,
} from "@tau/extensions/api";

import { CallLine } from "./call-line.ts";
import { foldCalls, isLook, joins } from "./fold.ts";
import { limits } from "./limits.ts";
import { canPulse } from "./pulse.ts";
import { wholeContent } from "@tau/session/export";

const noAnswer = "(no answer)";

export function condensedRenderer(
	pi: Pick<ExtensionAPI, "describeToolCall">,
	isCondensed: () => boolean,
): ToolRenderer {
	return {
		renderCall(args, theme, context) {
			if (!isCondensed()) return undefined;
			const { toolName, hasMotion, isError, expanded, isQuiet } = context;
			if (isQuiet && !isError && !expanded) return new Container();
			const described = pi.describeToolCall(toolName, args);
			const denied = deniedIn(context);
			if (denied !== "") {
				const outcome = theme.fg("warning", ` · sandbox: ${denied}`);
				return new CallLine({ described, call: context, theme, hasMotion, outcome, isWarning: true });
			}
			const outcome = isLook(context) ? "" : outcomeOf(context, theme);
			return new CallLine({ described, call: context, theme, hasMotion, outcome });
		},
		renderResult: (result, _options, theme, context, ctx) =>
			resultView(result, context, { isCondensed: isCondensed(), theme, ctx }),
		frameMs: (theme: Theme) => (isCondensed() && canPulse(theme) ? limits.frameMs : limits.stillFrameMs),
		joins: (call, before, { isSameAnswer }) => isCondensed() && joins(call, before, isSameAnswer),
		fold: (calls, theme, { hasMotion }) =>
			isCondensed() ? foldCalls(calls, theme, hasMotion, pi.describeToolCall) : [],
	};
}

/** A user who opens a result sees what the model sees. */
function withWhole(result: AgentToolResult, { sessionManager }: ExtensionContext): AgentToolResult {
	const content = wholeContent(result.details, sessionManager);
	return content ? { ...result, content } : result;
}

function resultView(
	result: AgentToolResult,
	context: ToolRenderContext,
	{ isCondensed, theme, ctx }: { isCondensed: boolean; theme: Theme; ctx: ExtensionContext },
): Component {
	const { expanded, isPartial, isError } = context;
	if (expanded || !isCondensed) return context.renderDefault(withWhole(result, ctx));
	if (isPartial) return context.renderDefault(result, { most: limits.liveLines, from: "end" });
	if (isError) return failedView(result, context);
	const answers = [...answersIn(result.details), ...summaryIn(result.details)];
	if (answers.length > 0) return new Answers(answers, theme);
	const rows = changedRows(result.details);
	return rows === undefined ? new Container() : context.renderDefault(result, { most: rows, from: "start" });
}

/** A run of tests opens at the first failure, everything else at its end. */
function failedView(result: AgentToolResult, { renderDefault }: ToolRenderContext): Component {
	const { details } = result;
	// The line says it; the rest of the text is for the model.
	if (isRecord(details) && typeof details.shown === "string" && details.shown.length <= limits.outcomeChars)
		return new Container();
	const at = isRecord(details) && typeof details.failureLine === "number" ? details.failureLine : undefined;
	const [only] = result.content;
	if (at === undefined || only?.type !== "text")
		return renderDefault(result, { most: limits.failedLines, from: "end" });
	const text = only.text.split("\n").slice(at).join("\n");
	return renderDefault(
		{ ...result, content: [{ type: "text", text }] },
		{ most: limits.failedLines, from: "start" },
	);
}

/** How much of a result that changed files is shown; undefined if none was changed. */
function changedRows(details: unknown): number | undefined {
	if (typeof details !== "object" || details === null) return undefined;
	if ("created" in details && details.created === true) return limits.writtenLines;
	return diffIn(details) === undefined ? undefined : limits.diffRows;
}

/** What the user answered to each question of a call; empty where the result holds no answers in the form of `ask`. */
function answersIn(details: unknown): string[] {
	if (!isRecord(details) || !Array.isArray(details.answers)) return [];
	const isOurs = details.answers.every(
		(answer) => !isRecord(answer) || Array.isArray(answer.chosen) || "text" in answer,
	);
	return isOurs ? details.answers.map(answerText) : [];
}

/** The lines that sum up a result, where the tool provides them. */
function summaryIn(details: unknown): string[] {
	if (!isRecord(details) || !Array.isArray(details.summary)) return [];
	return details.summary.map((line) => oneLine(String(line), limits.answerChars));
}

function answerText(answer: unknown): string {
	if (typeof answer !== "object" || answer === null) return noAnswer;
	const chosen: unknown[] = "chosen" in answer && Array.isArray(answer.chosen) ? answer.chosen : [];
	const words = [...chosen, ...("text" in answer ? [answer.text] : [])].filter(
		(word) => typeof word === "string" && word !== "",
	);
	return words.length === 0 ? noAnswer : oneLine(words.join(", "), limits.answerChars);
}

class Answers implements Component {
	readonly #answers: readonly string[];
	readonly #theme: Theme;

	constructor(answers: readonly string[], theme: Theme) {
		this.#answers = answers;
		this.#theme = theme;
	}

	invalidate(): void {
		// Nothing is cached.
	}

	render(width: number): string[] {
		return this.#answers.map((answer) => this.#theme.fg("muted", truncateToWidth(`   → ${answer}`, width)));
	}
}

/** What the sandbox has denied the call, whatever it exited with. */
function deniedIn({ isPartial, result }: ToolCallState): string {
	if (isPartial) return "";
	return oneLine(textsAt(result?.details, "sandboxSubjects").join(", "), limits.outcomeChars);
}

/** What a call led to: what it says of itself, the size of a change, the only line, or how many there are. */
function outcomeOf({ isPartial, isError, isDropped, result }: ToolCallState, theme: Theme): string {
	if (isPartial || isDropped || result === undefined) return "";
	const details = isRecord(result.details) ? result.details : {};
	const said = details.shown ?? details.outcome;
	if (typeof said === "string")
		return theme.fg(isError ? "error" : "dim", ` · ${oneLine(said, limits.outcomeChars)}`);
	if (isError) return "";
	const diff = diffIn(details);
	if (diff !== undefined) return changed(diff, theme);
	// A result that was shortened says nothing here; a new file and answers are shown below.
	const isShownBelow = answersIn(details).length > 0 || summaryIn(details).length > 0;
	if ("_mu" in details || isShownBelow || details.created === true) return "";
	const texts = result.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
	const text = stripControls(texts.join("\n")).trim();
	const shown = text === "" ? 0 : text.split("\n").length;
	// A long output is cut in the middle; its tool has counted all of it.
	const total = typeof details.totalLines === "number" ? details.totalLines : 0;
	const lines = Math.max(shown, total);
	if (shown === 0 || texts.length < result.content.length) return "";
	const isShort = lines === 1 && text.length <= limits.outcomeChars;
	const words = isShort ? oneLine(text, limits.outcomeChars) : `${lines} ${lines === 1 ? "line" : "lines"}`;
	return theme.fg("dim", ` · ${words}`);
}

function changed(diff: string, theme: Theme): string {
	const { added, removed } = countChanges(diff);
	const parts = [
		added > 0 ? theme.fg("toolDiffAdded", `+${added}`) : "",
		removed > 0 ? theme.fg("toolDiffRemoved", `−${removed}`) : "",
	];
	return parts.map((part) => (part === "" ? "" : ` ${part}`)).join("");
}
