/** Asks the user several questions: with the mode's own dialog, or with one simple dialog after the other. */
import { withTimeout } from "@tau/utils";
import type { Answer, AskUser, Question } from "@tau/tools/tool";

import type { AskDialogQuestion, AskDialogResult, DialogOptions, ExtensionUI } from "./types.ts";

const enough = "Done";

/** Undefined if the user cancels, the time is up, or the signal aborts. */
export async function askAll(
	ask: AskUser,
	questions: readonly AskDialogQuestion[],
	{ signal = new AbortController().signal, timeout }: DialogOptions = {},
): Promise<AskDialogResult | undefined> {
	const asked = questions.map(questionOf);
	using deadline =
		timeout === undefined ? undefined : withTimeout(signal, timeout, "the user did not answer");
	const answers = await ask(asked, deadline?.signal ?? signal);
	if (!answers) return undefined;
	return { kind: "submit", results: asked.map((question) => resultOf(question, answers)) };
}

/** The first no to one of them is a no to all. */
export function inTurn(ui: Pick<ExtensionUI, "select" | "input">): AskUser {
	return async (questions, signal) => {
		const answers: Answer[] = [];
		for (const question of questions) {
			const answer = await askOne(ui, question, signal);
			if (!answer) return undefined;
			answers.push(answer);
		}
		return answers;
	};
}

async function askOne(
	ui: Pick<ExtensionUI, "select" | "input">,
	{ id, question, options, multiple }: Question,
	signal: AbortSignal,
): Promise<Answer | undefined> {
	if (options.length === 0) {
		const text = await ui.input(question, undefined, { signal });
		return text === undefined ? undefined : { id, chosen: [], text };
	}
	const chosen: string[] = [];
	for (;;) {
		const left = options.filter(({ label }) => !chosen.includes(label));
		const items = multiple ? [...left, { label: enough }] : left;
		const one = await ui.select(question, [...items], { signal });
		if (one === undefined) return undefined;
		if (multiple && one === enough) return { id, chosen };
		chosen.push(one);
		if (!multiple || left.length === 1) return { id, chosen };
	}
}

/** Extensions that are not type-checked may omit any field. */
function questionOf({ id, question, header, options = [], multi, recommended }: AskDialogQuestion): Question {
	const title = [header, String(question)].filter((line) => line !== undefined).join("\n");
	return {
		id: String(id),
		question: title,
		options,
		multiple: multi === true,
		...(recommended === undefined ? {} : { recommended }),
	};
}

function resultOf(
	{ id, question, options, multiple }: Question,
	answers: readonly Answer[],
): AskDialogResult["results"][number] {
	const { chosen = [], text } = answers.find((answer) => answer.id === id) ?? {};
	return {
		id,
		question,
		options: options.map(({ label }) => label),
		multi: multiple,
		selectedOptions: [...chosen],
		...(text === undefined ? {} : { customInput: text }),
	};
}
