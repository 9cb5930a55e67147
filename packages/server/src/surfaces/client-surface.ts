/** What one client elsewhere is shown of extensions, and what it sends back. */
import { eventFrame, type Attached, type ShownTerminal } from "@tau/session/host";
import type { PreviewRestore } from "@tau/session-commands/work";
import { UserError } from "@tau/session/run";
import type { TerminalSize } from "@tau/sys";
import { log, onDispose, timer } from "@tau/utils";
import {
	commandRights,
	componentLimits,
	ComponentOutbox,
	frameLimits,
	noComponentValues,
	permits,
	type CommandFields,
	type ComponentValues,
} from "@tau/wire";

import type { ClientComponents } from "../rpc/component-handlers.ts";
import type { Surface, SurfaceFacts } from "@tau/interactive/surfaces";
import { limits } from "./limits.ts";
import type { Surfaces } from "./surfaces.ts";

export class ClientSurface implements ClientComponents {
	readonly #all: Surfaces;
	/** The same on every connection of the client. */
	readonly #id: string;
	/** Undefined while the connection is lost. */
	#attached: Attached | undefined;
	#forgetting: Disposable | undefined;
	#outbox = new ComponentOutbox();
	readonly #owned = new DisposableStack();
	/** Undefined until it has said so on this connection. */
	#facts: SurfaceFacts | undefined;
	#opening: Promise<Surface> | undefined;
	#surface: Surface | undefined;
	#values: () => ComponentValues = () => noComponentValues;
	/** While the client is connected: it shows the terminals of commands. */
	#viewing: Disposable | undefined;
	readonly #terminals = new Set<ShownTerminal>();
	#due: Disposable | undefined;
	#drawnAt = Number.NEGATIVE_INFINITY;

	constructor(all: Surfaces, id: string) {
		this.#all = all;
		this.#id = id;
	}

	get isConnected(): boolean {
		return this.#attached !== undefined;
	}

	/** The client is there, or back. Disposing of it means that the connection is lost, and may be made again. */
	connect(attached: Attached): Disposable {
		this.#forgetting?.[Symbol.dispose]();
		this.#attached = attached;
		this.#facts = undefined;
		this.#viewing?.[Symbol.dispose]();
		// It has nothing of what was sent before, and asks for blocks again.
		this.#outbox = new ComponentOutbox();
		this.#surface?.blocks.clear();
		return onDispose(() => {
			// Another connection may have been made before the end of this one was noticed.
			if (this.#attached === attached) this.#lost();
		});
	}

	/** Undefined until it has said that it can show components. */
	get surface(): Surface | undefined {
		return this.#surface;
	}

	async show(facts: SurfaceFacts): Promise<void> {
		const isFirst = this.#facts === undefined;
		this.#facts = facts;
		if (isFirst) this.#showTerminals(facts);
		else for (const terminal of this.#terminals) terminal.resize(terminalSize(facts));
		if (this.#opening) return (await this.#opening).resize(facts);
		if (this.#all.others.length > 0) await this.#shown();
		// Without extensions there is nothing to draw yet, and nothing to load.
		else if (isFirst) this.#owned.use(this.#all.shown.onChange(() => void this.#shown().catch(logged)));
	}

	async draw(request: CommandFields<"draw_blocks">): Promise<void> {
		(await this.#shown()).blocks.draw(request);
	}

	async key(data: string, componentId: string | undefined): Promise<void> {
		const surface = await this.#shown();
		this.#all.used(this.#id, this);
		surface.key(data, componentId);
	}

	/** Shows the diffs of a restore, and resolves when the user has seen them; undefined where it cannot. */
	get preview(): PreviewRestore | undefined {
		if (!this.#facts) return undefined;
		return async (plan) => (await this.#shown()).previewRestore(plan, this.#all.options.host.rewind);
	}

	async text(text: string): Promise<void> {
		(await this.#shown()).text(text);
	}

	async leave(): Promise<void> {
		(await this.#shown()).leave();
	}

	/** Draws what has changed, with what else changes until then: at once, and then at most once in a batch. */
	schedule(): void {
		if (this.#due || this.#owned.disposed) return;
		const waitMs = this.#drawnAt + frameLimits.batchMs - performance.now();
		this.#due = timer(Math.max(0, waitMs), () => {
			this.#due = undefined;
			this.#send();
		});
	}

	[Symbol.dispose](): void {
		this.#attached = undefined;
		this.#viewing?.[Symbol.dispose]();
		this.#forgetting?.[Symbol.dispose]();
		this.#due?.[Symbol.dispose]();
		this.#all.left(this.#id, this);
		this.#owned.dispose();
	}

	/** A component that an extension waits for stays open as long as the client tries to come back. */
	#lost(): void {
		this.#attached = undefined;
		this.#viewing?.[Symbol.dispose]();
		if (this.#surface?.isOpen !== true) return this[Symbol.dispose]();
		this.#forgetting = timer(limits.lostMs, () => this[Symbol.dispose]());
		this.#all.lost();
	}

	/** Commands may open terminals that its user types into; who may not, does not see them. */
	#showTerminals(facts: SurfaceFacts): void {
		if (!permits(this.#attached?.info.rights ?? "view", commandRights.component_key)) return;
		this.#viewing = this.#all.options.host.requests.connect({
			kinds: new Set(),
			open: () => {},
			terminals: {
				size: () => terminalSize(this.#facts ?? facts),
				show: (terminal) => {
					const owned = new DisposableStack();
					this.#terminals.add(terminal);
					owned.defer(() => this.#terminals.delete(terminal));
					const shown = this.#shown().then((surface) => {
						if (!owned.disposed) owned.use(surface.showTerminal(terminal));
					});
					shown.catch(logged);
					return owned;
				},
			},
		});
	}

	async #shown(): Promise<Surface> {
		if (!this.#facts) throw new UserError("This client has not said that it can show components.");
		this.#opening ??= this.#open(this.#facts);
		return await this.#opening;
	}

	async #open(facts: SurfaceFacts): Promise<Surface> {
		const { surfaceKit } = await import("./surface-kit.ts");
		const kit = await surfaceKit(this.#all);
		const surface = new kit.Surface(
			{
				...kit.parts,
				changed: () => this.#all.changed(),
				schedule: () => this.schedule(),
				act: (act) => {
					this.#outbox.act(act);
					this.schedule();
				},
				draw: (place, work) => this.#all.draw(place, work),
			},
			facts,
		);
		if (this.#owned.disposed) {
			surface[Symbol.dispose]();
			throw new UserError("The client has left.");
		}
		this.#owned.use(surface);
		this.#surface = surface;
		this.#values = kit.values;
		this.#owned.use(
			this.#all.options.host.attach({
				onEvent: (event) => {
					if (!surface.blocks.isEmpty) surface.blocks.follow(eventFrame(event));
				},
			}),
		);
		this.#all.used(this.#id, this);
		this.#send();
		return surface;
	}

	#send(): void {
		const surface = this.#surface;
		if (!surface || !this.#facts || this.#owned.disposed) return;
		this.#drawnAt = performance.now();
		this.#outbox.set(surface.views(), this.#values());
		this.#attached?.showComponents(this.#outbox);
	}
}

function terminalSize({ columns, rows }: SurfaceFacts): TerminalSize {
	return { columns, rows: Math.max(1, rows - componentLimits.terminalFrameRows) };
}

function logged(error: unknown): void {
	log.error("something cannot be shown elsewhere", { reason: String(error) });
}
