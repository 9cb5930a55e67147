/** The user interface of extensions over the wire: dialogs go to the client and wait for its answer, the rest only goes. */
import { listen, uuidv7 } from "@tau/utils";
import type { RequestClient, UserRequests } from "@tau/session/host";
import {
	asDialogs,
	dialogFrame,
	type AnswerOf,
	type Dialog,
	type RequestKind,
	type UserRequest,
} from "@tau/wire";
import {
	askAll,
	inTurn,
	headlessUI,
	type DialogOptions,
	type ExtensionUI,
	type WidgetPlacement,
} from "@tau/extensions/ui";
import type { RpcUIAnswer, RpcUIRequest } from "./protocol.ts";

type Fields<R extends RpcUIRequest = RpcUIRequest> = R extends RpcUIRequest ? Omit<R, "type" | "id"> : never;

/** Sends the questions to the user that are open as pi's frames, and takes the answers of the client. */
export class RpcExtensionUI implements RequestClient, Disposable {
	/** A client written for pi or omp does not expect approvals; one that does says so. */
	kinds: ReadonlySet<RequestKind>;
	readonly #requests: UserRequests;
	readonly #write: (request: RpcUIRequest) => void | Promise<void>;
	/** Frames that wait for an answer. */
	readonly #open = new Map<string, (answer: RpcUIAnswer | undefined) => void>();
	readonly #connection: Disposable;
	#opened = Promise.withResolvers<void>();
	#isClosed = false;
	readonly ui: ExtensionUI;

	constructor(
		requests: UserRequests,
		write: (request: RpcUIRequest) => void | Promise<void>,
		kinds: readonly RequestKind[] = ["questions", "trust", "dialog"],
	) {
		this.kinds = new Set(kinds);
		this.#requests = requests;
		this.#write = write;
		this.ui = this.#interface();
		this.#connection = requests.connect(this);
	}

	/** Resolves as soon as a dialog waits for the client: until then no further command is read. */
	waiting(): Promise<void> {
		return this.#opened.promise;
	}

	/** The kinds that the client answers from now on. */
	setKinds(kinds: readonly RequestKind[]): void {
		this.kinds = new Set(kinds);
	}

	/** An answer to a dialog that is not open any more has no effect. */
	answer(answer: RpcUIAnswer): void {
		this.#open.get(answer.id)?.(answer);
	}

	open(request: UserRequest, closed: AbortSignal): void {
		void this.#show(request, closed);
	}

	/** No answer will arrive any more. */
	[Symbol.dispose](): void {
		if (this.#isClosed) return;
		this.#isClosed = true;
		this.#connection[Symbol.dispose]();
		for (const settle of this.#open.values()) settle(undefined);
	}

	/** pi's clients know one dialog at a time: what has several steps is asked one after the other. */
	async #show(request: UserRequest, closed: AbortSignal): Promise<void> {
		// It has no dialog: the client follows its screen, and it closes with its command.
		if (request.kind === "terminal") return;
		const sequence = asDialogs(request);
		let step = sequence.next();
		while (!step.done) {
			// A dialog of an extension keeps its id: the client may list it, too.
			const id = request.kind === "dialog" ? request.id : uuidv7();
			const response = await this.#frame(id, step.value, closed);
			if (closed.aborted) return;
			step = sequence.next(response ?? { type: "extension_ui_response", id, cancelled: true });
		}
		this.#requests.answer(request.id, "cancelled" in step.value ? undefined : step.value);
	}

	/** Undefined where the client cancelled, or the request was closed. */
	async #frame(id: string, dialog: Dialog, closed: AbortSignal): Promise<RpcUIAnswer | undefined> {
		if (this.#isClosed || closed.aborted) return undefined;
		const answered = Promise.withResolvers<RpcUIAnswer | undefined>();
		using owned = new DisposableStack();
		owned.use(listen(closed, "abort", () => answered.resolve(undefined)));
		this.#open.set(id, answered.resolve);
		owned.defer(() => this.#forget(id));
		this.#opened.resolve();
		void this.#write(dialogFrame(id, dialog));
		const answer = await answered.promise;
		return answer && "cancelled" in answer ? undefined : answer;
	}

	#forget(id: string): void {
		this.#open.delete(id);
		if (this.#open.size === 0) this.#opened = Promise.withResolvers();
	}

	#emit(fields: Fields): void {
		if (!this.#isClosed)
			void this.#write({ type: "extension_ui_request", id: uuidv7(), ...fields } as RpcUIRequest);
	}

	async #ask(
		dialog: Dialog,
		{ signal, timeout }: DialogOptions = {},
	): Promise<AnswerOf<"dialog"> | undefined> {
		const timed = timeout === undefined ? dialog : { ...dialog, timeout };
		return this.#requests.ask("dialog", { dialog: timed }, { signal, timeoutMs: timeout });
	}

	async #text(dialog: Dialog, how?: DialogOptions): Promise<string | undefined> {
		const answer = await this.#ask(dialog, how);
		return answer && "value" in answer ? answer.value : undefined;
	}

	#interface(): ExtensionUI {
		const notify: ExtensionUI["notify"] = (message, notifyType = "info") =>
			this.#emit({ method: "notify", message, notifyType });
		const select: ExtensionUI["select"] = (title, options, how) => {
			const labels = options.map((item) => (typeof item === "string" ? item : item.label));
			return this.#text({ method: "select", title, options: labels }, how);
		};
		const input: ExtensionUI["input"] = (title, placeholder, how) =>
			this.#text({ method: "input", title, ...(placeholder === undefined ? {} : { placeholder }) }, how);
		return {
			// Components are in this process, and the screen is not: methods that need one do nothing, as without a client.
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
				this.#emit({ method: "setStatus", statusKey, ...(statusText === undefined ? {} : { statusText }) }),
			setWidget: (key, content, options) => this.#widget(key, content, options?.placement),
			setTitle: (title) => this.#emit({ method: "setTitle", title }),
			setEditorText: (text) => this.#emit({ method: "set_editor_text", text }),
			pasteToEditor: (text) => this.#emit({ method: "set_editor_text", text }),
			setTheme: () => ({ success: false, error: "In RPC mode the client chooses its own theme." }),
		};
	}

	#widget(widgetKey: string, content: unknown, placement: WidgetPlacement = "aboveEditor"): void {
		// A component cannot be sent.
		if (content !== undefined && !Array.isArray(content)) return;
		this.#emit({
			method: "setWidget",
			widgetKey,
			...(content ? { widgetLines: content.map(String) } : {}),
			widgetPlacement: placement,
		});
	}
}
