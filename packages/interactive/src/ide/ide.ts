/** The link of this terminal to an editor: connects by setting or command, shows what is open there, and lends it questions. */
import { abortable, isAbort, log } from "@tau/utils";
import type { AnswerOf, UserRequestOf } from "@tau/wire";
import type { Mentions } from "@tau/session-commands/shared/attachments";

import type { Dialogs, InteractiveHost } from "../host.ts";
import type { EditorLink } from "./link.ts";
import type { OfferedEditor } from "./lock-files.ts";

type Approval = UserRequestOf<"approval">;
type Host = Pick<
	InteractiveHost,
	"client" | "cwd" | "editor" | "guest" | "notify" | "settings" | "status" | "tui"
>;

/** What a prompt can mention of a connected editor. */
export const editorMentions = ["selection", "diagnostics"] as const;

export class Ide implements Disposable {
	readonly #host: Host;
	#link: EditorLink | undefined;
	#isDisposed = false;

	constructor(host: Host) {
		this.#host = host;
	}

	get link(): EditorLink | undefined {
		return this.#link;
	}

	[Symbol.dispose](): void {
		this.#isDisposed = true;
		this.#link?.[Symbol.dispose]();
	}

	/** Connects where the settings say so. Nothing is loaded otherwise. */
	async start(): Promise<void> {
		const { settings, guest, cwd } = this.#host;
		const how = settings.get("ide.connect");
		const isInTerminal = Boolean(process.env.TAU_IDE_PORT || process.env.CLAUDE_CODE_SSE_PORT);
		// The files of a guest's session are on another machine.
		if (guest || how === "off" || (how === "terminal" && !isInTerminal)) return;
		try {
			const { editorsFor, offeredEditors, terminalPort } = await import("./lock-files.ts");
			const { editors } = offeredEditors();
			const own = editors.find(({ port }) => port === terminalPort());
			const editor = own ?? (how === "auto" ? editorsFor(cwd, editors)[0] : undefined);
			if (editor && !this.#link) await this.connect(editor);
		} catch (error) {
			// The user did not ask for it; `/ide` says what is wrong.
			log.warn("no connection to an editor", { reason: String(error) });
		}
	}

	/** Rejects with the reason for the user. */
	async connect(editor: OfferedEditor): Promise<EditorLink> {
		this.disconnect();
		const { EditorLink: Link, mentionText } = await import("./link.ts");
		const link = await Link.open(editor, {
			onChange: () => this.#show(),
			onMention: (mentioned) => {
				this.#host.editor.insertTextAtCursor(`${mentionText(mentioned, this.#host.cwd)} `);
				this.#host.tui.requestRender();
			},
			onLost: () => this.#lost(editor.name),
		});
		if (this.#isDisposed) link[Symbol.dispose]();
		this.#link = link;
		this.#show();
		return link;
	}

	/** Returns whether there was a connection. */
	disconnect(): boolean {
		const link = this.#link;
		this.#link = undefined;
		link?.[Symbol.dispose]();
		this.#show();
		return link !== undefined;
	}

	/** What `@selection` and `@diagnostics` in a prompt stand for. */
	async mentions(text: string): Promise<Mentions | undefined> {
		return await this.#link?.mentions(text, this.#host.cwd);
	}

	/** A question about a change is answered in the terminal or in the editor, whichever comes first. */
	withEditor(dialogs: Dialogs): Dialogs {
		return {
			select: (...asked) => dialogs.select(...asked),
			confirm: (...asked) => dialogs.confirm(...asked),
			input: (...asked) => dialogs.input(...asked),
			editor: (...asked) => dialogs.editor(...asked),
			questions: (...asked) => dialogs.questions(...asked),
			approval: (request, signal) => this.#approval(dialogs, request, signal),
		};
	}

	async #approval(
		dialogs: Dialogs,
		request: Approval,
		signal: AbortSignal,
	): Promise<AnswerOf<"approval"> | undefined> {
		const link = this.#link;
		// The files of another machine are not those that the editor has open.
		if (!link || this.#host.client.view.facts.machine) return dialogs.approval(request, signal);
		const { cwd } = this.#host;
		const { askInEditor } = await import("./approval.ts");
		const answered = new AbortController();
		const either = AbortSignal.any([signal, answered.signal]);
		const warn = (text: string): void => this.#host.notify(text, "warning");
		const elsewhere = askInEditor(request, { link, cwd, signal: either, warn });
		const here = dialogs.approval(request, either);
		try {
			// Without an answer of the editor, that of the terminal decides.
			const first = await abortable(Promise.race([here.then(() => undefined), elsewhere]), signal);
			if (!first) return await here;
			this.#host.notify(first.note);
			return first.answer;
		} catch (error) {
			if (isAbort(error)) return undefined;
			throw error;
		} finally {
			answered.abort();
		}
	}

	#show(): void {
		this.#host.status("ide", this.#link?.describe(this.#host.cwd));
	}

	#lost(name: string): void {
		this.#link = undefined;
		this.#show();
		this.#host.notify(`The connection to ${name} is lost. /ide connects again.`, "warning");
	}
}
