/** Answers requests to the user with the dialogs of a user interface as extensions know it. */
import type { RequestClient, UserRequests } from "@tau/session/host";
import {
	asDialogs,
	type Dialog,
	type ExtensionUIResponse,
	type RequestKind,
	type UserRequest,
} from "@tau/wire";

import type { ExtensionUI } from "./types.ts";

type Dialogs = Pick<ExtensionUI, "select" | "confirm" | "input" | "editor">;

export class UIRequestClient implements RequestClient {
	readonly kinds: ReadonlySet<RequestKind> = new Set(["questions", "approval", "trust", "dialog"]);
	readonly #requests: UserRequests;
	readonly #ui: Dialogs;

	constructor(requests: UserRequests, ui: Dialogs) {
		this.#requests = requests;
		this.#ui = ui;
	}

	open(request: UserRequest, closed: AbortSignal): void {
		void this.#show(request, closed);
	}

	async #show(request: UserRequest, closed: AbortSignal): Promise<void> {
		const sequence = asDialogs(request);
		let step = sequence.next();
		while (!step.done) {
			const response = await this.#ask(step.value, closed);
			if (closed.aborted) return;
			step = sequence.next(response);
		}
		this.#requests.answer(request.id, "cancelled" in step.value ? undefined : step.value);
	}

	async #ask(dialog: Dialog, signal: AbortSignal): Promise<ExtensionUIResponse> {
		const head = { type: "extension_ui_response", id: "" } as const;
		const options = { signal, ...(dialog.timeout === undefined ? {} : { timeout: dialog.timeout }) };
		if (dialog.method === "confirm") {
			return { ...head, confirmed: await this.#ui.confirm(dialog.title, dialog.message, options) };
		}
		const value = await this.#text(dialog, options);
		return value === undefined ? { ...head, cancelled: true } : { ...head, value };
	}

	#text(
		dialog: Exclude<Dialog, { method: "confirm" }>,
		options: { signal: AbortSignal; timeout?: number },
	): Promise<string | undefined> {
		switch (dialog.method) {
			case "select":
				return this.#ui.select(dialog.title, [...dialog.options], options);
			case "input":
				return this.#ui.input(dialog.title, dialog.placeholder, options);
			case "editor":
				return this.#ui.editor(dialog.title, dialog.prefill, options);
		}
	}
}
