/** The user interface of extensions over the wire: dialogs go to the client and wait for its answer, the rest only goes. */
import { uuidv7 } from "@tau/utils";
import {
	askAll,
	inTurn,
	headlessUI,
	type DialogOptions,
	type ExtensionUI,
	type WidgetPlacement,
} from "@tau/extensions/ui";

import { limits } from "./limits.ts";
import type { RpcUIAnswer, RpcUIRequest } from "./protocol.ts";

type Fields<R extends RpcUIRequest = RpcUIRequest> = R extends RpcUIRequest ? Omit<R, "type" | "id"> : never;

export class ExtensionUIDesk implements Disposable {
	readonly #write: (request: RpcUIRequest) => void | Promise<void>;
	readonly #open = new Map<string, (answer: RpcUIAnswer | undefined) => void>();
	#opened = Promise.withResolvers<void>();
	#isClosed = false;
	readonly ui: ExtensionUI;

	constructor(write: (request: RpcUIRequest) => void | Promise<void>) {
		this.#write = write;
		this.ui = this.#interface();
	}

	/** Resolves as soon as a dialog waits for the client: until then nobody else may be listened to. */
	waiting(): Promise<void> {
		return this.#opened.promise;
	}

	/** An answer to a dialog that is not open any more says nothing. */
	answer(answer: RpcUIAnswer): void {
		this.#open.get(answer.id)?.(answer);
	}

	/** Nobody will answer any more. */
	[Symbol.dispose](): void {
		this.#isClosed = true;
		for (const settle of this.#open.values()) settle(undefined);
	}

	#tell(fields: Fields): void {
		if (!this.#isClosed)
			void this.#write({ type: "extension_ui_request", id: uuidv7(), ...fields } as RpcUIRequest);
	}

	/** Nothing where the client turned away, the time was up or the signal said so. */
	async #ask(fields: Fields, { signal, timeout }: DialogOptions = {}): Promise<RpcUIAnswer | undefined> {
		if (this.#isClosed || signal?.aborted) return undefined;
		const id = uuidv7();
		const answered = Promise.withResolvers<RpcUIAnswer | undefined>();
		const giveUp = (): void => answered.resolve(undefined);
		using owned = new DisposableStack();
		if (this.#open.size >= limits.openDialogs) return undefined;
		this.#open.set(id, answered.resolve);
		owned.defer(() => this.#forget(id));
		if (timeout !== undefined) {
			const late = setTimeout(giveUp, timeout);
			owned.defer(() => clearTimeout(late));
		}
		signal?.addEventListener("abort", giveUp);
		owned.defer(() => signal?.removeEventListener("abort", giveUp));
		this.#opened.resolve();
		const request = {
			type: "extension_ui_request",
			id,
			...fields,
			...(timeout === undefined ? {} : { timeout }),
		};
		void this.#write(request as RpcUIRequest);
		const answer = await answered.promise;
		return answer && "cancelled" in answer && answer.cancelled ? undefined : answer;
	}

	#forget(id: string): void {
		this.#open.delete(id);
		if (this.#open.size === 0) this.#opened = Promise.withResolvers();
	}

	async #text(fields: Fields, how?: DialogOptions): Promise<string | undefined> {
		const answer = await this.#ask(fields, how);
		return answer && "value" in answer ? answer.value : undefined;
	}

	#interface(): ExtensionUI {
		const notify: ExtensionUI["notify"] = (message, notifyType = "info") =>
			this.#tell({ method: "notify", message, notifyType });
		const select: ExtensionUI["select"] = (title, options, how) => {
			const labels = options.map((item) => (typeof item === "string" ? item : item.label));
			return this.#text({ method: "select", title, options: labels }, how);
		};
		const input: ExtensionUI["input"] = (title, placeholder, how) =>
			this.#text({ method: "input", title, ...(placeholder === undefined ? {} : { placeholder }) }, how);
		return {
			// Components live in this process, and the screen does not: what needs one does nothing, as without a client.
			...headlessUI(notify),
			select,
			input,
			askDialog: (questions, how) => askAll(inTurn({ select, input }), questions, how),
			confirm: async (title, message, how) => {
				const answer = await this.#ask({ method: "confirm", title, message }, how);
				return answer !== undefined && "confirmed" in answer && answer.confirmed;
			},
			editor: (title, prefill, how) =>
				this.#text({ method: "editor", title, ...(prefill === undefined ? {} : { prefill }) }, how),
			setStatus: (statusKey, statusText) =>
				this.#tell({ method: "setStatus", statusKey, ...(statusText === undefined ? {} : { statusText }) }),
			setWidget: (key, content, options) => this.#widget(key, content, options?.placement),
			setTitle: (title) => this.#tell({ method: "setTitle", title }),
			setEditorText: (text) => this.#tell({ method: "set_editor_text", text }),
			pasteToEditor: (text) => this.#tell({ method: "set_editor_text", text }),
			setTheme: () => ({ success: false, error: "The client of RPC mode chooses its own colours." }),
		};
	}

	#widget(widgetKey: string, content: unknown, placement: WidgetPlacement = "aboveEditor"): void {
		// A component cannot be sent.
		if (content !== undefined && !Array.isArray(content)) return;
		this.#tell({
			method: "setWidget",
			widgetKey,
			...(content ? { widgetLines: content.map(String) } : {}),
			widgetPlacement: placement,
		});
	}
}
