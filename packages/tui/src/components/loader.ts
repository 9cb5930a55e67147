/** Says that something is going on, with a sign that moves while it does. */
import { limits } from "../elements/limits.ts";
import { Text, type Paint } from "../elements/text.ts";

/** What a component needs of the screen to show a change. */
export interface RenderHost {
	requestRender(): void;
}

export interface LoaderIndicatorOptions {
	/** Shown as they are, in their own colours. Empty for no sign at all, one for a sign that stands still. */
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

	/** The colours may be others now. */
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
		// A sign that somebody forgot to stop must not keep the program from ending.
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
		const shown = sign === undefined ? "" : `${this.#paintFrame(sign)} `;
		this.setText(shown + this.#paintMessage(this.#message));
	}
}
