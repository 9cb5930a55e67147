/** `/btw` and `/ask`: the answer of a question beside the conversation, in a panel. */
import { ask as askRow, btw as btwRow, consultIn, questionIn } from "@tau/session-commands/rows";
import { answerPane } from "../selectors/beside/answer-pane.ts";
import { openSelector } from "../selectors/open.ts";
import { onScreen } from "./on-screen.ts";

export const btw = onScreen(btwRow, {
	open(args, host) {
		const question = questionIn(args);
		openSelector(host, (screen, close) =>
			answerPane(screen, {
				title: "By the way",
				question,
				ask: (options) => host.sessionHost.sideQuestions.ask(question, options),
				close,
			}),
		);
		return true;
	},
});

export const ask = onScreen(askRow, {
	async open(args, host) {
		const { model, question, thinking } = await consultIn(args, {
			host: host.sessionHost,
			registry: host.registry,
		});
		openSelector(host, (screen, close) =>
			answerPane(screen, {
				title: `${model.provider}/${model.id}`,
				question,
				ask: (options) => host.sessionHost.sideQuestions.consult(model, question, { ...options, thinking }),
				closesAtEnd: true,
				close,
			}),
		);
		return true;
	},
});
