/** Shows that something is in progress, with an animated indicator. */
import { limits } from "../elements/limits.ts";
import { Text, type Paint } from "../elements/text.ts";

/** The part of the screen that a component needs to show a change. */
export interface RenderHost {
	requestRender(): void;
}

export interface LoaderIndicatorOptions {
	/** Shown unchanged, in their own colors. Empty for no indicator, one frame for a static indicator. */
	frames?: string[];
	intervalMs?: number;
}

const defaultFrames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** Twelve frames per second: visible motion at almost no cost. */
const defaultIntervalMs = 80;

export class Loader extends Text implements Disposable {
	readonly #ui: RenderHost;
	readonly #paintSign: Paint;
	readonly #paintMessage: Paint;
	#message: string;
	#frames: readonly string[] = [];
	#paintFrame: Paint = String;
	#intervalMs = defaultIntervalMs;
	#frame = 0;
	#isRunning = false;
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

	/** The colors may have changed. */
	override invalidate(): void {
		super.invalidate();
		this.#write();
	}

	start(): void {
		this.stop();
		this.#isRunning = true;
		this.#show();
		if (this.#frames.length < 2) return;
		this.#clock = setInterval(() => {
			this.#frame = (this.#frame + 1) % this.#frames.length;
			this.#show();
		}, this.#intervalMs);
		// A loader that was never stopped must not keep the program running.
		this.#clock.unref();
	}

	stop(): void {
		this.#isRunning = false;
		clearInterval(this.#clock);
		this.#clock = undefined;
	}

	setMessage(message: string): void {
		this.#message = message;
		this.#show();
	}

	setIndicator(indicator: LoaderIndicatorOptions = {}): void {
		this.#frames = indicator.frames ?? defaultFrames;
		this.#paintFrame = indicator.frames === undefined ? this.#paintSign : String;
		this.#intervalMs = Math.max(limits.leastIndicatorMs, indicator.intervalMs ?? defaultIntervalMs);
		this.#frame = 0;
		if (this.#isRunning) this.start();
		else this.#write();
	}

	[Symbol.dispose](): void {
		this.stop();
	}

	#show(): void {
		this.#write();
		this.#ui.requestRender();
	}

	#write(): void {
		const sign = this.#frames[this.#frame];
		const indicator = sign === undefined ? "" : `${this.#paintFrame(sign)} `;
		this.setText(indicator + this.#paintMessage(this.#message));
	}
}
