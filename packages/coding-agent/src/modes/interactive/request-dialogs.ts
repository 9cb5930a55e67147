/** Shows requests to the user as dialogs, and answers them with what was chosen. */
import type {
	AnswerOf,
	Dialog,
	RequestClient,
	RequestKind,
	UserAnswer,
	TerminalViewer,
	UserRequest,
	UserRequests,
} from "@tau/session/host";

import type { DialogOptions, Dialogs } from "./host.ts";

export class RequestDialogs implements RequestClient {
	readonly kinds: ReadonlySet<RequestKind> = new Set(["questions", "approval", "dialog"]);
	readonly #requests: UserRequests;
	readonly #dialogs: Dialogs;

	readonly terminals: TerminalViewer | undefined;

	constructor(requests: UserRequests, dialogs: Dialogs, terminals?: TerminalViewer) {
		this.#requests = requests;
		this.#dialogs = dialogs;
		this.terminals = terminals;
	}

	open(request: UserRequest, closed: AbortSignal): void {
		void this.#show(request, closed).then((answer) => {
			if (!closed.aborted) this.#requests.answer(request.id, answer);
		});
	}

	async #show(request: UserRequest, closed: AbortSignal): Promise<UserAnswer | undefined> {
		if (request.kind === "questions") {
			const answers = await this.#dialogs.questions(request.questions, closed);
			return answers && { answers };
		}
		if (request.kind === "approval") return this.#dialogs.approval(request, closed);
		return request.kind === "dialog" ? this.#showDialog(request.dialog, closed) : undefined;
	}

	async #showDialog(dialog: Dialog, signal: AbortSignal): Promise<AnswerOf<"dialog"> | undefined> {
		const options = {
			signal,
			isRequest: true,
			...(dialog.timeout === undefined ? {} : { timeoutMs: dialog.timeout }),
		};
		if (dialog.method === "confirm") {
			const message = dialog.message === "" ? undefined : dialog.message;
			const confirmed = await this.#dialogs.confirm(dialog.title, message, {
				...options,
				...selectedIn(dialog),
			});
			return confirmed === undefined ? undefined : { confirmed };
		}
		const value = await this.#text(dialog, options);
		return value === undefined ? undefined : { value };
	}

	#text(dialog: Exclude<Dialog, { method: "confirm" }>, options: DialogOptions): Promise<string | undefined> {
		switch (dialog.method) {
			case "select":
				return this.#dialogs.select(dialog.title, choicesOf(dialog), { ...options, ...selectedIn(dialog) });
			case "input":
				return this.#dialogs.input(dialog.title, {
					...options,
					...(dialog.placeholder === undefined ? {} : { placeholder: dialog.placeholder }),
					...(dialog.prefill === undefined ? {} : { initial: dialog.prefill }),
					...(dialog.secret ? { secret: true } : {}),
				});
			case "editor":
				return this.#dialogs.editor(dialog.title, { ...options, initial: dialog.prefill ?? "" });
		}
	}
}

function selectedIn({ selected }: { selected?: string }): Pick<DialogOptions, "selected"> {
	return selected === undefined ? {} : { selected };
}

function choicesOf({ options, descriptions = [] }: Extract<Dialog, { method: "select" }>) {
	return options.map((label, index) => {
		const description = descriptions[index];
		return { value: label, label, ...(description ? { description } : {}) };
	});
}
