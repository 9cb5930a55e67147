/** What one client elsewhere is shown of extensions, and what it sends back. */
import { eventFrame, type Attached, type SessionHost } from "@tau/session/host";
import { UserError } from "@tau/session/run";
import { timer } from "@tau/utils";
import {
	ComponentOutbox,
	frameLimits,
	type CommandFields,
	type ComponentValues,
} from "@tau/wire";

import type { ClientComponents } from "../modes/rpc/component-handlers.ts";
import type { Surface, SurfaceFacts } from "../modes/interactive/surfaces/index.ts";
import { limits } from "./limits.ts";
import { surfaceKit } from "./surface-kit.ts";
import type { Surfaces } from "./surfaces.ts";

export class ClientSurface implements ClientComponents, Disposable {
	readonly #all: Surfaces;
	readonly #attached: Attached;
	readonly #outbox = new ComponentOutbox();
	readonly #owned = new DisposableStack();
	#opening: Promise<Surface> | undefined;
	#surface: Surface | undefined;
	#due: Disposable | undefined;
	#drawnAt = Number.NEGATIVE_INFINITY;

	constructor(all: Surfaces, attached: Attached) {
		this.#all = all;
		this.#attached = attached;
	}

	/** Undefined until it has said that it can show components. */
	get surface(): Surface | undefined {
		return this.#surface;
	}

	async show(facts: SurfaceFacts): Promise<void> {
		if (this.#opening) return (await this.#opening).resize(facts);
		this.#opening = this.#open(facts);
		await this.#opening;
	}

	async draw(request: CommandFields<"draw_blocks">): Promise<void> {
		(await this.#shown()).blocks.draw(request);
	}

	async key(data: string): Promise<void> {
		const surface = await this.#shown();
		this.#all.used(this.#attached.info.id, this);
		surface.key(data);
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
		this.#due?.[Symbol.dispose]();
		this.#all.left(this.#attached.info.id, this);
		this.#owned.dispose();
	}

	async #shown(): Promise<Surface> {
		if (!this.#opening) throw new UserError("This client has not said that it can show components.");
		return await this.#opening;
	}

	async #open(facts: SurfaceFacts): Promise<Surface> {
		const kit = await surfaceKit(this.#all);
		const surface = new kit.Surface(
			{
				...kit.parts,
				changed: () => this.#all.changed(),
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
		this.#owned.use(
			this.#all.options.host.attach({ onEvent: (event) => surface.blocks.follow(eventFrame(event)) }),
		);
		this.#all.used(this.#attached.info.id, this);
		this.#send();
		return surface;
	}

	#send(): void {
		const surface = this.#surface;
		if (!surface || this.#owned.disposed) return;
		this.#drawnAt = performance.now();
		this.#outbox.set(surface.views(), valuesOf(this.#all));
		this.#attached.showComponents(this.#outbox);
	}
}

/** What the client draws itself. */
function valuesOf({ shown, options }: Surfaces): ComponentValues {
	const { title, working, isWorkingHidden, indicator, thinkingLabel } = shown;
	const runner = options.extensions()?.runner;
	const frames = indicator?.frames;
	return {
		...(title === undefined ? {} : { title }),
		statuses: Object.fromEntries(shown.statuses),
		...(working === undefined ? {} : { working }),
		...(isWorkingHidden ? { isWorkingHidden } : {}),
		...(frames ? { indicator: { frames, intervalMs: indicator.intervalMs ?? limits.indicatorMs } } : {}),
		...(thinkingLabel === undefined ? {} : { thinkingLabel }),
		shortcuts: [...new Set(runner?.extensions.flatMap((each) => [...each.shortcuts.keys()]))],
		tools: drawnTools(options.host, runner),
		messages: [...new Set(runner?.extensions.flatMap((each) => [...each.renderers.keys()]))],
	};
}

type Runner = NonNullable<ReturnType<Surfaces["options"]["extensions"]>>["runner"];

/** The tools that draw themselves, and those that an extension draws which is not Tau's own look. */
function drawnTools({ session }: SessionHost, runner: Runner | undefined): string[] {
	if (!runner) return [];
	const others = runner.extensions.filter(({ path }) => !path.startsWith("<"));
	const own = runner.extensions.flatMap(({ tools }) =>
		[...tools].filter(([, tool]) => tool.renderCall ?? tool.renderResult).map(([name]) => name),
	);
	const named = others.flatMap(({ toolRenderers }) =>
		toolRenderers.flatMap(({ names }) =>
			names === "*" ? session.state.tools.map(({ name }) => name) : [...names],
		),
	);
	return [...new Set([...own, ...named])];
}
