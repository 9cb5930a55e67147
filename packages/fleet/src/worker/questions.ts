/** Questions of a session as the fleet shows them, and what a user writes as an answer to one. */
import { oneLine, shortHash } from "@tau/utils";
import type { UserRequest } from "@tau/wire";

import { limits } from "../limits.ts";
import type { TaskQuestion } from "../task.ts";

export function toQuestion(request: UserRequest): TaskQuestion {
	const { text, choices, about } = describe(request);
	const key = shortHash(JSON.stringify([request.kind, about]));
	return { id: request.id, text: oneLine(text, limits.shownChars * 2), choices, key };
}

function describe(request: UserRequest): { text: string; choices: string[]; about: unknown } {
	switch (request.kind) {
		case "approval": {
			const { call, title, choices, reason } = request;
			const what = title ?? `Allow ${call.toolName} ${JSON.stringify(call.args)}`;
			const text = reason === undefined ? what : `${what} (${reason})`;
			return { text, choices: offered(choices).map(({ label }) => label), about: [call.toolName, call.args] };
		}
		case "questions": {
			const [first] = request.questions;
			const text = request.questions.map(({ question }) => question).join(" / ");
			const choices = request.questions.length === 1 ? (first?.options.map(({ label }) => label) ?? []) : [];
			return { text, choices, about: text };
		}
		case "trust":
			return { text: `Trust the code of ${request.project}?`, choices: ["Yes", "No"], about: "" };
		case "dialog": {
			const { dialog } = request;
			if (dialog.method === "select")
				return { text: dialog.title, choices: [...dialog.options], about: dialog.title };
			if (dialog.method === "confirm")
				return { text: `${dialog.title} ${dialog.message}`, choices: ["Yes", "No"], about: dialog.title };
			return { text: dialog.title, choices: [], about: dialog.title };
		}
		case "terminal":
			return { text: "A command waits for keys in its terminal: tau task attach", choices: [], about: "" };
	}
}

/** A line of words cannot change a command: that takes an editor. */
function offered<C extends { takesTexts?: boolean }>(choices: readonly C[]): C[] {
	return choices.filter(({ takesTexts }) => !takesTexts);
}

/** What `answer_request` takes. Throws the reason if the words are no answer to it. */
export function toAnswer(request: UserRequest, words: string): Record<string, unknown> {
	const { choices } = toQuestion(request);
	const at = chosen(choices, words);
	switch (request.kind) {
		case "approval": {
			const choice = offered(request.choices)[at] ?? request.choices.find(({ takesMessage }) => takesMessage);
			if (!choice) throw new Error(`Answer with one of: ${choices.join(", ")}.`);
			return { choice: choice.id, ...(at < 0 ? { message: words } : {}) };
		}
		case "questions":
			return {
				answers: request.questions.map(({ id, options }) => {
					const option =
						options[
							chosen(
								options.map(({ label }) => label),
								words,
							)
						];
					return option ? { id, chosen: [option.label] } : { id, chosen: [], text: words };
				}),
			};
		case "trust":
			return { trusted: yes(at, choices), remember: false };
		case "dialog": {
			const { dialog } = request;
			if (dialog.method === "confirm") return { confirmed: yes(at, choices) };
			if (dialog.method === "select" && at < 0) throw new Error(`Answer with one of: ${choices.join(", ")}.`);
			return { value: dialog.method === "select" ? (choices[at] ?? "") : words };
		}
		case "terminal":
			throw new Error("A terminal takes keys: type into it with tau task attach.");
	}
}

/** By its number or its words; -1 if it is none of them. */
function chosen(choices: readonly string[], words: string): number {
	const text = words.trim().toLowerCase();
	if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= choices.length) return Number(text) - 1;
	const exact = choices.findIndex((choice) => choice.toLowerCase() === text);
	if (exact >= 0 || text === "") return exact;
	const starting = choices.flatMap((choice, at) => (choice.toLowerCase().startsWith(text) ? [at] : []));
	return starting.length === 1 ? (starting[0] ?? -1) : -1;
}

function yes(at: number, choices: readonly string[]): boolean {
	if (at < 0) throw new Error(`Answer with one of: ${choices.join(", ")}.`);
	return at === 0;
}
