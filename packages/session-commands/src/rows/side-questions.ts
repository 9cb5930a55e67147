/** `/btw` and `/ask`: questions beside the conversation, to its own model and to another one. */
import type { Model, ThinkingLevel } from "@tau/ai";
import { resolveModel } from "@tau/config/models";
import { UserError } from "@tau/session/run";

import { reply, type CommandTarget, type SessionCommand } from "../command.ts";
import { modelItems } from "./models.ts";

export const btw: SessionCommand = {
	name: "btw",
	group: "Context",
	argumentHint: "<question>",
	takesText: true,
	description: "Ask a side question without adding it to the conversation",
	details:
		"The model answers from what it has read so far, without tools, also while it works on something else. Neither the question nor the answer becomes part of the conversation. Esc closes the answer.",
	right: "prompt",
	async run(args, { host, signal, onText }) {
		const answer = await host.sideQuestions.ask(questionIn(args), { signal, ...(onText ? { onText } : {}) });
		return { ...reply(answer.text), data: answer };
	},
};

export function questionIn(args: string): string {
	if (args === "") throw new UserError("Usage: /btw <question>");
	return args;
}

export const ask: SessionCommand = {
	name: "ask",
	group: "Model",
	argumentHint: "<model> <question>",
	takesText: true,
	description: "Ask another model about the conversation",
	details:
		"The other model reads the conversation as text and answers without tools. Its answer is added to the conversation with its name, so that your model can use it. A thinking level may follow the name: `/ask name:high …`.",
	right: "control",
	complete: (prefix, target) =>
		prefix.includes(" ")
			? []
			: modelItems(prefix, target).map((item) => ({ ...item, value: `${item.value} ` })),
	async run(args, target) {
		const { model, question, thinking } = await consultIn(args, target);
		const { signal, onText } = target;
		const options = { signal, thinking, ...(onText ? { onText } : {}) };
		const answer = await target.host.sideQuestions.consult(model, question, options);
		return { ...reply(answer.text), data: answer };
	},
};

export function wordsToModel(args: string): { pattern: string; question: string } {
	const [, pattern = "", question = ""] = /^(\S+)\s+([^]*)$/.exec(args.trim()) ?? [];
	if (question === "") throw new UserError("Usage: /ask <model> <question>");
	return { pattern, question };
}

/** The model that is asked, ready to answer. Throws if none fits. */
async function consultIn(
	args: string,
	{ host, registry }: Pick<CommandTarget, "host" | "registry">,
): Promise<{ model: Model; question: string; thinking: ThinkingLevel | undefined }> {
	const { pattern, question } = wordsToModel(args);
	const named = resolveModel(pattern, host.models.available(), registry);
	if (!named.ok) throw new UserError(named.message);
	const model = await host.models.ready(named.model.provider, named.model.id);
	return { model, question, thinking: named.thinking };
}
