/** Says that something is going on, with a sign that moves while it does. */
import { Text, type Paint } from "./text.ts";

/** What a component needs of the screen to show a change. */
export interface RenderHost {
	requestRender(): void;
}

export interface LoaderIndicatorOptions {
	/** Empty for no sign at all, one for a sign that stands still. */
	frames?: string[];
	intervalMs?: number;
}

const defaultFrames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** Twelve frames a second: it moves, and costs next to nothing. */
const defaultIntervalMs = 80;

export class Loader extends Text implements Disposable {
	readonly #ui: RenderHost;
	readonly #paintSign: Paint;
	readonly #paintMessage: Paint;
	#message: string;
	#frames: readonly string[] = defaultFrames;
	#intervalMs = defaultIntervalMs;
	#frame = 0;
	#clock: ReturnType<typeof setInterval> | undefined;

	constructor(
		ui: RenderHost,
		spinnerColorFn: Paint,
		messageColorFn: Paint,
		message = "Loading...",
		indicator?: LoaderIndicatorOptions,
	) {
		super("", 1, 0);
		this.#ui = ui;
		this.#paintSign = spinnerColorFn;
		this.#paintMessage = messageColorFn;
		this.#message = message;
		this.setIndicator(indicator);
		this.start();
	}

	override render(width: number): string[] {
		return ["", ...super.render(width)];
	}

	start(): void {
		this.stop();
		this.#show();
		if (this.#frames.length < 2) return;
		this.#clock = setInterval(() => {
			this.#frame = (this.#frame + 1) % this.#frames.length;
			this.#show();
		}, this.#intervalMs);
	}

	stop(): void {
		clearInterval(this.#clock);
		this.#clock = undefined;
	}

	setMessage(message: string): void {
		this.#message = message;
		this.#show();
	}

	setIndicator(indicator: LoaderIndicatorOptions = {}): void {
		const isRunning = this.#clock !== undefined;
		this.#frames = indicator.frames ?? defaultFrames;
		this.#intervalMs = Math.max(1, indicator.intervalMs ?? defaultIntervalMs);
		this.#frame = 0;
		if (isRunning) this.start();
		else this.#show();
	}

	[Symbol.dispose](): void {
		this.stop();
	}

	#show(): void {
		const sign = this.#frames[this.#frame];
		const shown = sign === undefined ? "" : `${this.#paintSign(sign)} `;
		this.setText(shown + this.#paintMessage(this.#message));
		this.#ui.requestRender();
	}
}
