/** The session that is on the screen: what its replica says, as signals that change once per frame. */
import { batch, computed, signal } from "@preact/signals";
import type {
	CommandFields,
	CommandInfo,
	Entry,
	EventFrame,
	RunningCall,
	SessionClient,
	SessionFacts,
	UserRequest,
	WebDrawing,
} from "@tau/wire";
import { permits, type ConnectionState, type Right } from "@tau/wire/remote";

import { limits } from "../limits.ts";
import { transcriptItems, type Item, type NoticeItem } from "../transcript/items.ts";
import { SessionFiles } from "./session-files.ts";
import { toast } from "./toasts.ts";

/** What the page draws: a session behind a connection, or one that is read from a file. */
export interface ShownClient extends SessionClient {
	readonly state: ConnectionState;
	onState(listener: (state: ConnectionState) => void): Disposable;
	/** Called when facts have changed; absent where they never do without an event. */
	onFacts?(listener: () => void): Disposable;
	/** The page is back on the screen. */
	wake?(): void;
	/** The user has left the page, which the browser may bring back as it is. */
	sleep?(): void;
}

export class OpenSession implements Disposable {
	/** Another one after the session has moved. */
	id: string;
	readonly client: ShownClient;
	/** Somebody else's, shared over a relay: there is no server of ours for lists and files. */
	readonly isGuest: boolean;
	/** When what is shown was kept in this browser; undefined for the session itself. */
	readonly copiedAt: number | undefined;
	readonly facts;
	readonly connection;
	readonly items = signal<readonly Item[]>([]);
	readonly requests = signal<readonly UserRequest[]>([]);
	readonly calls = signal<readonly RunningCall[]>([]);
	readonly clients;
	/** Entries of the branch that are not here yet. */
	readonly missing = signal(0);
	readonly isLoadingEarlier = signal(false);
	/** What commands have replied, below the transcript, until the next prompt. */
	readonly replies = signal<readonly NoticeItem[]>([]);
	readonly commands = signal<readonly CommandInfo[]>([]);
	/** What a command has put into the editor. */
	readonly prefill = signal<string | undefined>(undefined);
	readonly isBusy = computed(() => !["idle", "closed"].includes(this.facts.value.phase));
	readonly live = signal(0);
	/** Whether there is something to interrupt: a run, or a command of the user. */
	readonly isStoppable = computed(() => {
		void this.live.value;
		return this.isBusy.value || this.client.view.live.commands.length > 0;
	});
	readonly files: SessionFiles;
	readonly #drawings = new Map<string, Promise<WebDrawing>>();
	#earlier: readonly Entry[] = [];
	#tail: readonly Entry[] = [];
	#replies = 0;
	readonly #frame = oncePerFrame(() => this.#draw());
	readonly #owned = new DisposableStack();

	constructor(
		id: string,
		client: ShownClient,
		{ isGuest = false, copiedAt }: { isGuest?: boolean; copiedAt?: number } = {},
	) {
		this.id = id;
		this.client = client;
		this.isGuest = isGuest;
		this.copiedAt = copiedAt;
		this.files = new SessionFiles(client);
		this.facts = signal<SessionFacts>(client.view.facts);
		this.connection = signal<ConnectionState>(client.state);
		this.clients = signal(client.view.clients);
		this.#owned.use(this.#frame);
		this.#owned.use(client);
		this.#owned.use(client.subscribe((event) => this.#onEvent(event)));
		this.#owned.use(client.onReset(() => this.#frame.request()));
		this.#owned.use(client.onFacts?.(() => this.#frame.request()));
		this.#owned.use(client.onState((state) => (this.connection.value = state)));
		this.#draw();
		void this.#loadCommands();
	}

	get isReadOnly(): boolean {
		return !permits(this.client.me.rights, "prompt");
	}

	may(right: Right): boolean {
		return permits(this.client.me.rights, right);
	}

	/** Brings the entries before the first that is here. */
	async loadEarlier(): Promise<void> {
		const first = this.#earlier[0] ?? this.client.view.tail.entries[0];
		if (!first || this.missing.value === 0 || this.isLoadingEarlier.value) return;
		this.isLoadingEarlier.value = true;
		try {
			const { entries } = await this.client.request("get_entries", {
				before: first.id,
				limit: limits.earlierEntries,
			});
			this.#earlier = [...entries, ...this.#earlier];
			if (entries.length === 0) this.missing.value = 0;
		} catch (error) {
			toast(error instanceof Error ? error.message : String(error), "error");
		} finally {
			this.isLoadingEarlier.value = false;
			this.#draw();
		}
	}

	/** What extensions draw of an entry or a call, instead of the page. Each is asked for once. */
	draw(about: CommandFields<"draw_for_web">): Promise<WebDrawing> {
		const key = about.toolCallId ?? about.entryId ?? "";
		const known = this.#drawings.get(key);
		if (known) return known;
		const drawing = this.client.request("draw_for_web", about).catch(() => {
			// The connection was lost, or the host is too old: it is asked again when the row is shown again.
			this.#drawings.delete(key);
			return {};
		});
		this.#drawings.set(key, drawing);
		return drawing;
	}

	/** Every entry that is here, in order. */
	get entries(): readonly Entry[] {
		return [...this.#earlier, ...this.client.view.tail.entries];
	}

	reply(text: string, level: NoticeItem["level"] = "info"): void {
		this.replies.value = [
			...this.replies.value,
			{ kind: "notice", key: `reply${++this.#replies}`, level, text },
		];
	}

	/** It is disposed of with this. */
	owns(part: Disposable): void {
		this.#owned.use(part);
	}

	[Symbol.dispose](): void {
		this.#owned.dispose();
	}

	async #loadCommands(): Promise<void> {
		try {
			this.commands.value = (await this.client.request("list_commands", {})).commands;
		} catch {
			// A file has none, and a guest may not ask: then nothing is suggested.
		}
	}

	/** Not what this client has done itself, and to a guest nothing about the host's connection. */
	#concerns({ by, own }: Extract<EventFrame, { type: "notice" }>): boolean {
		const { name, rights } = this.client.me;
		return by !== name && (!own || rights === "control");
	}

	#onEvent(event: EventFrame): void {
		this.#frame.request(event.type === "message_update" ? limits.deltaMs : 0);
		if (event.type === "tool_execution_end" || event.type === "message_end") this.files.changed();
		if (event.type === "notice" && this.#concerns(event)) this.reply(event.message, event.level);
		if (event.type === "budget_exhausted") this.reply(event.message, "warning");
		if (event.type === "extension_error")
			this.reply(`${event.extensionPath} (${event.event}): ${event.error}`, "error");
		if (event.type === "session_moved" || event.type === "trust_changed") {
			// Other extensions may be there now.
			this.#drawings.clear();
			void this.#loadCommands();
		}
		if (event.type === "message_start" && event.message.role === "user") this.replies.value = [];
	}

	#draw(): void {
		const { view } = this.client;
		this.#keepEarlier(view.tail.entries);
		batch(() => {
			this.facts.value = view.facts;
			this.clients.value = view.clients;
			this.missing.value = Math.max(0, view.tail.earlier - this.#earlier.length);
			this.items.value = transcriptItems(view, this.#earlier, this.items.value);
			this.requests.value = sameList(this.requests.value, view.live.requests);
			this.calls.value = sameList(this.calls.value, view.live.calls);
			this.live.value++;
		});
	}

	/** The replica lets go of its oldest entries; what was shown stays. Another branch has another past. */
	#keepEarlier(tail: readonly Entry[]): void {
		const [first] = tail;
		const before = this.#tail;
		this.#tail = tail;
		if (before === tail || !first || before[0] === first) return;
		const at = before.indexOf(first);
		if (at > 0) this.#earlier = [...this.#earlier, ...before.slice(0, at)];
		else if (this.#earlier.at(-1)?.id !== first.parentId) this.#earlier = [];
	}
}

function sameList<T>(before: readonly T[], after: readonly T[]): readonly T[] {
	return before.length === after.length && before.every((each, at) => each === after[at]) ? before : after;
}

interface FrameWork extends Disposable {
	/** At the next frame that is `apartMs` after the last time, or more if frames take long. */
	request(apartMs?: number): void;
}

function oncePerFrame(work: () => void): FrameWork {
	let handle: number | undefined;
	let timer: ReturnType<typeof setTimeout> | undefined;
	let startedAt = 0;
	/** How long the last frame took: the work, and what the browser did to show it. */
	let tookMs = 0;
	const run = (): void => {
		cancel();
		startedAt = performance.now();
		work();
		setTimeout(() => (tookMs = performance.now() - startedAt));
	};
	const cancel = (): void => {
		if (handle !== undefined) cancelAnimationFrame(handle);
		clearTimeout(timer);
		handle = timer = undefined;
	};
	const inFrame = (): void => {
		clearTimeout(timer);
		handle ??= requestAnimationFrame(run);
		// A page that goes to the background has no frames; its title still says what waits.
		timer = setTimeout(run, hiddenMs);
	};
	return {
		request(apartMs = 0) {
			if (handle !== undefined) return;
			// What may wait takes half of the time at most: the rest is for keys, whatever the machine and the model.
			const pauseMs = apartMs === 0 ? 0 : Math.max(apartMs, Math.min(limits.slowestDeltaMs, 2 * tookMs));
			const waitMs = startedAt + pauseMs - performance.now();
			if (waitMs <= 0) inFrame();
			else timer ??= setTimeout(inFrame, waitMs);
		},
		[Symbol.dispose]: cancel,
	};
}

const hiddenMs = 500;
