/** Shows the form of a server as questions, and reads the answers as the types that it wants. */
import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { isRecord } from "@tau/utils";
import type { Question, QuestionAnswer } from "@tau/wire";

import type { McpUser } from "./user.ts";

type FormParams = Extract<ElicitRequest["params"], { requestedSchema: unknown }>;
type Value = string | number | boolean | string[];

/** A value that does not fit is asked for again, this often. */
const attempts = 3;

interface Field {
	name: string;
	question: Question;
	isRequired: boolean;
	/** Undefined when the answer does not fit. */
	read(answer: QuestionAnswer): { value: Value | undefined } | undefined;
}

export async function askForm(
	{ message, requestedSchema }: FormParams,
	server: string,
	user: McpUser,
	signal: AbortSignal,
): Promise<ElicitResult> {
	const head = `The MCP server ${server} asks: ${message}`;
	const required = new Set(requestedSchema.required ?? []);
	const fields = Object.entries(requestedSchema.properties).map(([name, schema]) =>
		fieldOf(name, schema, required.has(name)),
	);
	if (fields.length === 0) {
		const isYes = await user.confirm(head, "Yes", server, signal);
		return isYes === undefined ? { action: "cancel" } : { action: isYes ? "accept" : "decline", content: {} };
	}
	const content: Record<string, Value> = {};
	let open = fields;
	for (let attempt = 0; open.length > 0 && attempt < attempts; attempt++) {
		const questions = open.map(({ question }, at) =>
			at === 0 ? { ...question, question: `${head}\n${question.question}` } : question,
		);
		const answers = await user.ask(questions, server, signal);
		if (!answers) return { action: "cancel" };
		open = open.filter((field) => {
			const answer = answers.find(({ id }) => id === field.name) ?? { id: field.name, chosen: [] };
			const read = field.read(answer);
			if (read?.value !== undefined) content[field.name] = read.value;
			return read === undefined || (read.value === undefined && field.isRequired);
		});
	}
	return open.length > 0 ? { action: "cancel" } : { action: "accept", content };
}

function fieldOf(name: string, schema: unknown, isRequired: boolean): Field {
	const raw = isRecord(schema) ? schema : {};
	const title = [text(raw.title) ?? name, text(raw.description)].filter(Boolean).join(": ");
	const optional = isRequired ? "" : " (optional)";
	const choices = choicesOf(raw);
	const base = { id: name, question: `${title}${optional}`, multiple: raw.type === "array" };
	const fallback = raw.default === undefined ? undefined : (raw.default as Value);
	if (choices) {
		const recommended = choices.findIndex(({ value }) => value === raw.default);
		return {
			name,
			isRequired,
			question: {
				...base,
				options: choices.map(({ label }) => ({ label })),
				...(recommended >= 0 ? { recommended } : {}),
			},
			read: ({ chosen }) => {
				const values = choices.filter(({ label }) => chosen.includes(label)).map(({ value }) => value);
				if (raw.type === "array") return { value: values.length > 0 ? (values as string[]) : fallback };
				return { value: values[0] ?? fallback };
			},
		};
	}
	const shown = fallback === undefined ? "" : ` [${String(fallback)}]`;
	return {
		name,
		isRequired,
		question: { ...base, question: `${base.question}${shown}`, options: [] },
		read: ({ text: typed = "" }) => {
			if (typed.trim() === "") return { value: fallback };
			return raw.type === "number" || raw.type === "integer" ? numberOf(typed, raw) : { value: typed };
		},
	};
}

function numberOf(
	typed: string,
	{ type, minimum, maximum }: Record<string, unknown>,
): { value: number } | undefined {
	const value = Number(typed);
	const fits =
		Number.isFinite(value) &&
		(type !== "integer" || Number.isInteger(value)) &&
		(typeof minimum !== "number" || value >= minimum) &&
		(typeof maximum !== "number" || value <= maximum);
	return fits ? { value } : undefined;
}

/** The ways in which the revisions of the protocol list choices. */
function choicesOf(raw: Record<string, unknown>): { label: string; value: string | boolean }[] | undefined {
	if (raw.type === "boolean")
		return [
			{ label: "Yes", value: true },
			{ label: "No", value: false },
		];
	const items = raw.type === "array" && isRecord(raw.items) ? raw.items : raw;
	const titled = items.oneOf ?? items.anyOf;
	if (Array.isArray(titled))
		return titled.flatMap((one: unknown) =>
			isRecord(one) && typeof one.const === "string"
				? [{ label: text(one.title) ?? one.const, value: one.const }]
				: [],
		);
	if (!Array.isArray(items.enum)) return undefined;
	const names: unknown[] = Array.isArray(items.enumNames) ? items.enumNames : [];
	return items.enum.flatMap((value: unknown, at) =>
		typeof value === "string" ? [{ label: text(names[at]) ?? value, value }] : [],
	);
}

function text(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}
