/** Shows requests to the user as dialogs, and answers them with what was chosen. */
import { log } from "@tau/utils";
import { permits } from "@tau/wire";
import type { AnswerOf, Dialog, RequestKind, SessionClient, UserAnswer, UserRequest } from "@tau/wire";

import type { DialogOptions, Dialogs } from "./host.ts";

/** What the screen asks in dialogs. Before there is a session, `trust` is asked in another way. */
export const dialogKinds: readonly RequestKind[] = ["questions", "approval", "dialog"];

export class RequestDialogs {
	readonly kinds: ReadonlySet<RequestKind> = new Set(dialogKinds);
	readonly #dialogs: Dialogs;
	readonly #answer: (id: string, answer: UserAnswer | undefined) => void;

	/** `answer` is called with undefined where the user declines. */
	constructor(dialogs: Dialogs, answer: (id: string, answer: UserAnswer | undefined) => void) {
		this.#dialogs = dialogs;
		this.#answer = answer;
	}

	open(request: UserRequest, closed: AbortSignal): void {
		void this.#show(request, closed).then((answer) => {
			if (!closed.aborted) this.#answer(request.id, answer);
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

/** Shows the open requests of a session until they are answered. */
export function followRequests(
	client: SessionClient,
	ask: Dialogs,
	onRefused: (reason: string) => void,
): Disposable {
	using owned = new DisposableStack();
	const open = new Map<string, AbortController>();
	const dialogs = new RequestDialogs(ask, (requestId, answer) => {
		client
			.request("answer_request", { requestId, answer: { ...(answer ?? { cancelled: true }) } })
			.catch((error: unknown) => {
				const reason = error instanceof Error ? error.message : String(error);
				log.warn("an answer was not accepted", { reason });
				// Somebody else was faster.
				if (open.has(requestId)) onRefused(reason);
			});
	});
	const show = (request: UserRequest): void => {
		if (open.has(request.id) || !dialogs.kinds.has(request.kind) || !mayAnswer(client)(request)) return;
		const closed = new AbortController();
		open.set(request.id, closed);
		dialogs.open(request, closed.signal);
	};
	const close = (id: string): void => {
		open.get(id)?.abort();
		open.delete(id);
	};
	const showAll = (): void => {
		const { requests } = client.view.live;
		for (const id of open.keys()) if (!requests.some((request) => request.id === id)) close(id);
		for (const request of requests) show(request);
	};
	owned.use(
		client.subscribe((event) => {
			// The schema of the event and the type of requests are made from the same rows.
			if (event.type === "request_opened") show(event.request as UserRequest);
			if (event.type === "request_closed") close(event.id);
		}),
	);
	owned.use(client.onReset(showAll));
	owned.defer(() => {
		for (const id of open.keys()) close(id);
	});
	showAll();
	return owned.move();
}

/** The host would refuse the answer of a guest. */
export function mayAnswer(client: SessionClient): (request: Pick<UserRequest, "kind">) => boolean {
	return ({ kind }) =>
		permits(client.me.rights, kind === "dialog" || kind === "trust" ? "control" : "approve");
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
