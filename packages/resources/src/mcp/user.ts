/** Asks the user on behalf of servers, as requests that any client may answer. */
import type { UserRequests } from "@tau/session/host";
import type { Question, QuestionAnswer } from "@tau/wire";
import { showControls } from "@tau/utils";

import { limits } from "./limits.ts";
import type { McpInput } from "./types.ts";

export interface McpUserParts {
	requests: UserRequests;
	openUrl(url: string): boolean;
}

export class McpUser {
	readonly #parts: McpUserParts;

	constructor(parts: McpUserParts) {
		this.#parts = parts;
	}

	canAsk(): boolean {
		return this.#parts.requests.canAsk("questions");
	}

	/** Undefined when the user dismisses the questions. */
	async ask(
		questions: readonly Question[],
		server: string,
		signal: AbortSignal,
	): Promise<readonly QuestionAnswer[] | undefined> {
		const shown = questions.map((question) => ({ ...question, question: clean(question.question) }));
		const from = { tool: `mcp:${server}` };
		return (await this.#parts.requests.ask("questions", { questions: shown }, { signal, from }))?.answers;
	}

	/** A value that the definition of a server leaves open; undefined when the user dismisses the question. */
	async askValue(server: string, input: McpInput, signal: AbortSignal): Promise<string | undefined> {
		const { description, isSecret, options, fallback } = input;
		const recommended = fallback === undefined ? -1 : options.indexOf(fallback);
		const hint = fallback === undefined || options.length > 0 ? "" : ` [${fallback}]`;
		const question: Question = {
			id: "value",
			question: `The MCP server ${server} needs a value. ${description}${hint}`,
			options: options.map((label) => ({ label })),
			multiple: false,
			...(recommended < 0 ? {} : { recommended }),
			...(isSecret ? { secret: true } : {}),
		};
		const [answer] = (await this.ask([question], server, signal)) ?? [];
		return answer && (answer.chosen[0] ?? answer.text ?? fallback);
	}

	/** Undefined when the user dismisses the question. */
	async confirm(
		text: string,
		yes: string,
		server: string,
		signal: AbortSignal,
	): Promise<boolean | undefined> {
		const options = [{ label: "No" }, { label: yes }];
		const answers = await this.ask(
			[{ id: "confirm", question: text, options, multiple: false }],
			server,
			signal,
		);
		return answers && answers[0]?.chosen.includes(yes) === true;
	}

	/** The whole address is shown: its host is what the user decides about. */
	async openAddress(
		server: string,
		message: string,
		address: string,
		signal: AbortSignal,
	): Promise<boolean | undefined> {
		const isWeb = URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
		if (!isWeb) return false;
		const { host } = new URL(address);
		const text = `The MCP server ${server} asks you to open a page on ${host}: ${message}\n${address}`;
		const isYes = await this.confirm(text, "Open the page", server, signal);
		if (isYes) this.#parts.openUrl(address);
		return isYes;
	}

	/** Opens a page, and waits until the server or the user says that everything there is done. */
	async visitPage(
		server: string,
		message: string,
		address: string,
		done: Promise<void>,
		signal: AbortSignal,
	): Promise<boolean> {
		if (!this.canAsk() || !(await this.openAddress(server, message, address, signal))) return false;
		const completed = new AbortController();
		void done.then(() => completed.abort());
		const text = `Continue when you are done on ${new URL(address).host}.`;
		const isYes = await this.confirm(text, "Continue", server, AbortSignal.any([signal, completed.signal]));
		return isYes === true || completed.signal.aborted;
	}
}

/** Texts of servers are untrusted. */
function clean(text: string): string {
	return showControls(text).slice(0, limits.descriptionChars);
}
