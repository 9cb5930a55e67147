/** What the commands about the context do: what fills it, summaries, and questions beside the conversation. */
import { contextText } from "@tau/session/context";
import type { SideAnswer } from "@tau/session/host";

import type { RpcCommandOf } from "./commands.ts";
import type { CommandScope } from "./command-scope.ts";
import type { RpcResults } from "./protocol.ts";

type ContextCommand =
	| "get_context"
	| "inspect_context"
	| "drop_context"
	| "restore_context"
	| "get_summary"
	| "edit_summary"
	| "undo_summary"
	| "btw"
	| "ask_model"
	| "abort_side_question";

export const contextHandlers: {
	readonly [T in ContextCommand]: (
		command: RpcCommandOf<T>,
		state: CommandScope,
	) => RpcResults[T] | Promise<RpcResults[T]>;
} = {
	get_context: (_, { host }) => {
		const report = host.context.report();
		return { ...report, text: contextText(report) };
	},
	inspect_context: ({ itemId }, { host }) => ({ text: host.context.inspect(itemId) }),
	drop_context: ({ itemIds }, { host }) => host.context.drop(itemIds),
	restore_context: ({ itemIds }, { host }) => host.context.restore(itemIds),
	get_summary: (_, { host }) => ({ summary: host.context.summary() ?? null }),
	edit_summary: ({ text }, { host }) => host.context.editSummary(text),
	undo_summary: (_, { host }) => host.context.undoSummary(),
	btw: async ({ question }, { host }) => publicAnswer(await host.sideQuestions.ask(question)),
	ask_model: async ({ provider, modelId, question, thinkingLevel }, { host }) => {
		const model = await host.models.ready(provider, modelId);
		return publicAnswer(await host.sideQuestions.consult(model, question, { thinking: thinkingLevel }));
	},
	abort_side_question: (_, { host }) => host.sideQuestions.abort(),
};

function publicAnswer(answer: SideAnswer): RpcResults["btw"] {
	return { ...answer };
}
