/** A type of agent: its instructions, tools, model and limits, from a Markdown file with frontmatter. */
import { thinkingLevels, type JsonSchema, type ThinkingLevel } from "@tau/ai";
import { isRecord, oneLine } from "@tau/utils";

import type { ToolEnv } from "../tool/env.ts";
import type { ServiceKey } from "../tool/services.ts";

import browser from "./agents/browser.md" with { type: "text" };
import explore from "./agents/explore.md" with { type: "text" };
import plan from "./agents/plan.md" with { type: "text" };
import reviewer from "./agents/reviewer.md" with { type: "text" };
import task from "./agents/task.md" with { type: "text" };

export interface AgentType {
	readonly name: string;
	/** When to use it, for the model. */
	readonly description: string;
	/** Its instructions. */
	readonly prompt: string;
	/** Names of tools, Tau's or Claude Code's; all of the parent's if absent. */
	readonly tools?: readonly string[];
	readonly withoutTools?: readonly string[];
	/** Names of models in the order of preference; the parent's if absent. */
	readonly model?: string;
	readonly thinking?: ThinkingLevel;
	/** The types that it may open itself. */
	readonly spawns: readonly string[] | "*";
	/** The shape of its result, as JSON Schema. */
	readonly output?: JsonSchema;
	readonly color?: string;
	readonly maxTurns?: number;
	readonly isolation?: string;
	/** Claude Code's `permissionMode: plan`. Other modes are the session's: a type is no grant. */
	readonly isReadOnly?: boolean;
	/** The file that it is from; absent for a built-in one. */
	readonly path?: string;
}

export type ParsedType = { ok: true; type: AgentType; notes: string[] } | { ok: false; problem: string };

/** `fields` are those of the frontmatter, as in omp and Claude Code; what is not understood is noted and left out. */
export function agentTypeFrom(
	fields: Readonly<Record<string, unknown>>,
	body: string,
	file: { name: string; path?: string },
): ParsedType {
	const name = textOf(fields.name) ?? file.name;
	if (!/^[\p{L}\p{N}_][\p{L}\p{N}\p{M}_.:&() -]*$/u.test(name))
		return { ok: false, problem: `"${oneLine(name, 60)}" cannot be the name of an agent` };
	const description = textOf(fields.description);
	const prompt = body.trim();
	if (description === undefined && Object.keys(fields).length === 0)
		return { ok: false, problem: "the file has no front matter with a description" };
	if (prompt === "" && description === undefined)
		return { ok: false, problem: "the file has neither a description nor instructions" };
	const notes = description === undefined ? ["the front matter has no description"] : [];
	const level = textOf(fields.thinking ?? fields.thinkingLevel ?? fields["thinking-level"] ?? fields.effort);
	const thinking = thinkingLevels.find((known) => known === level?.toLowerCase());
	if (level !== undefined && thinking === undefined) notes.push(`thinking level "${level}" is unknown`);
	const output = schemaIn(fields.output);
	if (fields.output !== undefined && !output) notes.push("output is not a JSON Schema");
	return {
		ok: true,
		notes,
		type: {
			name,
			description: description ?? oneLine(prompt, 200),
			prompt: prompt || (description ?? ""),
			spawns: spawnsIn(fields.spawns),
			...defined("tools", namesIn(fields.tools ?? fields["allowed-tools"] ?? fields.allowed_tools)),
			...defined("withoutTools", namesIn(fields.disallowedTools ?? fields["disallowed-tools"])),
			...defined("model", Array.isArray(fields.model) ? fields.model.join(",") : textOf(fields.model)),
			...defined("thinking", thinking),
			...defined("output", output),
			...defined("color", textOf(fields.color)),
			...defined("maxTurns", countOf(fields.maxTurns ?? fields["max-turns"])),
			...defined("isolation", textOf(fields.isolation)),
			...(fields.permissionMode === "plan" ? { isReadOnly: true } : {}),
			...defined("path", file.path),
		},
	};
}

let builtin: readonly AgentType[] | undefined;

/** The types that every session has; a user's type of the same name replaces one. */
export function builtinAgents(): readonly AgentType[] {
	return (builtin ??= [explore, plan, browser, task, reviewer].map(parseBuiltin));
}

/** Our own files have the plain form. */
function parseBuiltin(text: string): AgentType {
	const [, head = "", body = ""] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
	const fields: unknown = Bun.YAML.parse(head);
	const parsed = agentTypeFrom(isRecord(fields) ? fields : {}, body, { name: "" });
	if (!parsed.ok) throw new Error(parsed.problem);
	return parsed.type;
}

/** The types that the user and the project have written. */
export const userAgents: ServiceKey<() => readonly AgentType[]> = {
	name: "types of agents",
	create: () => () => [],
};

/** The user's types first, as they take precedence; then those built-in ones whose names are free. */
export function agentsOf(env: ToolEnv): AgentType[] {
	const own = env.services.get(userAgents, env)();
	const names = new Set(own.map(({ name }) => name));
	return [...own, ...builtinAgents().filter(({ name }) => !names.has(name))];
}

function defined<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
	return value === undefined ? {} : ({ [key]: value } as { [P in K]: T });
}

function textOf(value: unknown): string | undefined {
	if (typeof value === "number" || typeof value === "boolean") return String(value);
	return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function countOf(value: unknown): number | undefined {
	const number = Number(value);
	return Number.isInteger(number) && number > 0 ? number : undefined;
}

/** `Read, Grep`, a list, or `*` for all. `Bash(git:*)` names the tool; what it may run is for the approvals. */
function namesIn(value: unknown): string[] | undefined {
	const parts = Array.isArray(value) ? value.map(String) : typeof value === "string" ? splitNames(value) : [];
	const names = parts.map((part) => part.trim().replace(/\(.*\)$/s, "")).filter((part) => part !== "");
	return names.length === 0 || names.includes("*") ? undefined : names;
}

/** Commas inside parentheses belong to a rule. */
function splitNames(text: string): string[] {
	return text.replace(/^\[|\]$/g, "").split(/,(?![^(]*\))|\n/);
}

function spawnsIn(value: unknown): readonly string[] | "*" {
	if (value === true || value === "*") return "*";
	return namesIn(value === "none" || value === false ? undefined : value) ?? [];
}

function schemaIn(value: unknown): JsonSchema | undefined {
	if (isRecord(value)) return value;
	if (typeof value !== "string") return undefined;
	try {
		const parsed: unknown = JSON.parse(value);
		return isRecord(parsed) ? parsed : undefined;
	} catch {
		// Not JSON: the caller notes it.
		return undefined;
	}
}
