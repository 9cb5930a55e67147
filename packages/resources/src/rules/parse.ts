/** Parses a rule file in the formats of Tau, omp, Claude Code, Cursor, Windsurf, Cline and Copilot. */
import { oneLine, stripControls } from "@tau/utils";

import { readHead } from "./head.ts";
import { limits } from "./limits.ts";
import type { Rule } from "@tau/session/run";
import { contextModes, interruptModes, repeatModes, settingsLimits } from "@tau/config/settings";

export interface RuleText extends Pick<Rule, "name" | "path" | "level"> {
	text: string;
	/** Whether a rule without a condition always applies; in Cursor it applies on request. */
	isAlwaysByDefault: boolean;
}

export interface Parsed {
	/** Absent if the file has no text. */
	rule?: Rule;
	problems: string[];
}

type Head = Readonly<Record<string, unknown>>;

export function parseRule({ name, path, level, text, isAlwaysByDefault }: RuleText): Parsed {
	const { head = {}, body } = readHead(text);
	const content = stripControls(body).trim();
	if (content === "") return { problems: [`${path} was skipped: it has no text for the model.`] };
	const problems: string[] = [];
	const report = (problem: string): void => void problems.push(`${path}: ${problem}`);
	const when = { ...applicable(head, report), ...conditions(head, report) };
	const says = when.globs ?? when.description ?? when.condition ?? when.astCondition ?? when.alwaysApply;
	const alwaysApply = says === undefined && isAlwaysByDefault ? { alwaysApply: true } : {};
	return { rule: { name, path, level, content, ...when, ...alwaysApply, ...modes(head, report) }, problems };
}

type ParseReport = (problem: string) => void;

function applicable(head: Head, report: ParseReport): Pick<Rule, "globs" | "description" | "alwaysApply"> {
	const globs = list(head.globs ?? head.paths ?? head.applyTo, "globs", splitGlobs, report);
	const description =
		typeof head.description === "string" ? oneLine(head.description, limits.descriptionChars) : "";
	const always = { always_on: true, model_decision: false, glob: false, manual: false }[String(head.trigger)];
	const alwaysApply = typeof head.alwaysApply === "boolean" ? head.alwaysApply : always;
	return {
		...(globs ? { globs } : {}),
		...(description ? { description } : {}),
		...(alwaysApply === undefined ? {} : { alwaysApply }),
	};
}

function conditions(head: Head, report: ParseReport): Pick<Rule, "condition" | "astCondition" | "scope"> {
	const condition = list(head.condition ?? head.ttsrTrigger, "condition", whole, report);
	const astCondition = list(head.astCondition, "astCondition", whole, report);
	const scope = list(head.scope, "scope", splitGlobs, report);
	return {
		...(condition ? { condition } : {}),
		...(astCondition ? { astCondition } : {}),
		...(scope ? { scope } : {}),
	};
}

function modes(head: Head, report: ParseReport): Partial<Rule> {
	const interruptMode = oneOf(head.interruptMode, "interruptMode", interruptModes, report);
	const contextMode = oneOf(head.contextMode, "contextMode", contextModes, report);
	const repeatMode = oneOf(head.repeatMode, "repeatMode", repeatModes, report);
	const repeatGap = gap(head.repeatGap, report);
	return {
		...(interruptMode ? { interruptMode } : {}),
		...(contextMode ? { contextMode } : {}),
		...(repeatMode ? { repeatMode } : {}),
		...(repeatGap === undefined ? {} : { repeatGap }),
	};
}

function gap(value: unknown, report: ParseReport): number | undefined {
	if (value === undefined || value === null) return undefined;
	if (
		typeof value === "number" &&
		Number.isInteger(value) &&
		value >= 1 &&
		value <= settingsLimits.ruleRepeatGap
	)
		return value;
	return void report(`repeatGap must be a whole number from 1 to ${settingsLimits.ruleRepeatGap}.`);
}

function oneOf<const T extends string>(
	value: unknown,
	name: string,
	choices: readonly T[],
	report: ParseReport,
): T | undefined {
	if (value === undefined || value === null) return undefined;
	const found = choices.find((choice) => choice === value);
	if (found === undefined) report(`${name} must be one of ${choices.join(", ")}.`);
	return found;
}

function list(
	value: unknown,
	name: string,
	split: (text: string) => string[],
	report: ParseReport,
): readonly string[] | undefined {
	if (value === undefined || value === null) return undefined;
	const values: unknown[] = Array.isArray(value) ? value : [value];
	const texts = values.filter((each) => typeof each === "string");
	if (texts.length < values.length) report(`${name} must be a string or a list of strings.`);
	const parts = texts.flatMap((text) => split(text)).filter((text) => text !== "");
	if (parts.length > limits.entries) report(`only the first ${limits.entries} entries of ${name} are used.`);
	return parts.length > 0 ? parts.slice(0, limits.entries) : undefined;
}

function whole(text: string): string[] {
	return [text];
}

/** At commas, but not within `{a,b}` or `edit(*.ts, *.js)`. */
function splitGlobs(text: string): string[] {
	const parts = [""];
	let depth = 0;
	for (const char of text) {
		if ("({[".includes(char)) depth++;
		if (")}]".includes(char)) depth--;
		if (char === "," && depth <= 0) parts.push("");
		else parts[parts.length - 1] += char;
	}
	return parts.map((part) => part.trim().replace(/^(["'])(.*)\1$/, "$2"));
}
