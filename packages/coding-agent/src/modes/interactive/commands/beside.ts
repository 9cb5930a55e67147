/** `/btw` and `/ask`: questions beside the conversation, to its own model and to another one. */
import { resolveModel } from "@tau/session/models";

import type { InteractiveHost } from "../host.ts";
import { answerPane } from "../selectors/beside/answer-pane.ts";
import { openSelector } from "../selectors/open.ts";
import type { SlashCommand } from "./command.ts";

export const btw: SlashCommand = {
	name: "btw",
	group: "Context",
	argumentHint: "<question>",
	takesText: true,
	description: "Ask a side question without adding it to the conversation",
	details:
		"The model answers from what it has read so far, without tools, also while it works on something else. Neither the question nor the answer becomes part of the conversation. Esc closes the answer.",
	run(args, host) {
		if (args === "") throw new Error("Usage: /btw <question>");
		openSelector(host, (screen, close) =>
			answerPane(screen, {
				title: "By the way",
				question: args,
				ask: (options) => host.sessionHost.beside.ask(args, options),
				close,
			}),
		);
	},
};

export const ask: SlashCommand = {
	name: "ask",
	group: "Model",
	argumentHint: "<model> <question>",
	takesText: true,
	description: "Ask another model about the conversation",
	details:
		"The other model reads the conversation as text and answers without tools. Its answer is added to the conversation with its name, so that your model can use it. A thinking level may follow the name: `/ask name:high …`.",
	complete: (prefix, { models }) =>
		prefix.includes(" ")
			? []
			: models
					.available()
					.map(({ provider, id, name }) => ({
						value: `${provider}/${id} `,
						label: `${provider}/${id}`,
						description: name,
					}))
					.filter(({ value }) => value.toLowerCase().includes(prefix.toLowerCase())),
	async run(args, host) {
		const [, pattern = "", question = ""] = /^(\S+)\s+([^]*)$/.exec(args.trim()) ?? [];
		if (question === "") throw new Error("Usage: /ask <model> <question>");
		const named = resolveModel(pattern, host.models.available(), host.registry);
		if (!named.ok) throw new Error(named.message);
		await openConsult(host, named, question);
	},
};

async function openConsult(
	host: InteractiveHost,
	{ model: { provider, id }, thinking }: Extract<ReturnType<typeof resolveModel>, { ok: true }>,
	question: string,
): Promise<void> {
	const model = await host.models.ready(provider, id);
	openSelector(host, (screen, close) =>
		answerPane(screen, {
			title: `${provider}/${id}`,
			question,
			ask: (options) => host.sessionHost.beside.consult(model, question, { ...options, thinking }),
			closesAtEnd: true,
			close,
		}),
	);
}
