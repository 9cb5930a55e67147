/** Sends finished spans to an OpenTelemetry collector: OTLP over HTTP as JSON. A collector that fails costs nothing but its spans. */
import { log, version } from "@tau/utils";

export type SpanValue = string | number | boolean;

export interface Span {
	traceId: string;
	spanId: string;
	parentSpanId?: string;
	name: string;
	/** 1 is work of our own, 3 a request to another server. */
	kind: 1 | 3;
	startMs: number;
	endMs: number;
	attributes: Readonly<Record<string, SpanValue | undefined>>;
	/** Why it failed. */
	error?: string;
}

export interface OtlpParts {
	/** The address without `/v1/traces`. */
	endpoint: string;
	headers: Readonly<Record<string, string>>;
}

/** Finished spans that wait to be sent; more are dropped while a collector does not answer. */
const maxWaiting = 2048;
const sendMs = 5000;
/** What the end of a session waits for. */
const lastSendMs = 1000;

export class OtlpExporter implements AsyncDisposable {
	readonly #parts: OtlpParts;
	#waiting: Span[] = [];
	#sending: Promise<void> = Promise.resolve();
	#hasFailed = false;

	constructor(parts: OtlpParts) {
		this.#parts = parts;
	}

	add(span: Span): void {
		if (this.#waiting.length < maxWaiting) this.#waiting.push(span);
	}

	/** Sends what has finished, after what is being sent. */
	flush(timeoutMs: number = sendMs): void {
		const spans = this.#waiting;
		if (spans.length === 0) return;
		this.#waiting = [];
		this.#sending = this.#sending.then(() => this.#send(spans, timeoutMs));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.flush(lastSendMs);
		await Promise.race([this.#sending, Bun.sleep(lastSendMs)]);
	}

	async #send(spans: readonly Span[], timeoutMs: number): Promise<void> {
		const { endpoint, headers } = this.#parts;
		try {
			const response = await fetch(`${endpoint.replace(/\/+$/, "")}/v1/traces`, {
				method: "POST",
				headers: { ...headers, "content-type": "application/json" },
				body: JSON.stringify(requestOf(spans)),
				signal: AbortSignal.timeout(timeoutMs),
				redirect: "error",
			});
			if (!response.ok) throw new Error(`HTTP ${response.status}`);
			this.#hasFailed = false;
		} catch (error) {
			// Once in a row: a collector that is off must not fill the log.
			if (!this.#hasFailed) log.warn("traces were not sent", { endpoint, reason: String(error) });
			this.#hasFailed = true;
		}
	}
}

function requestOf(spans: readonly Span[]): object {
	return {
		resourceSpans: [
			{
				resource: { attributes: pairs({ "service.name": "tau", "service.version": version }) },
				scopeSpans: [{ scope: { name: "tau", version }, spans: spans.map(spanOf) }],
			},
		],
	};
}

function spanOf({
	traceId,
	spanId,
	parentSpanId,
	name,
	kind,
	startMs,
	endMs,
	attributes,
	error,
}: Span): object {
	return {
		traceId,
		spanId,
		...(parentSpanId === undefined ? {} : { parentSpanId }),
		name,
		kind,
		startTimeUnixNano: nanoseconds(startMs),
		endTimeUnixNano: nanoseconds(endMs),
		attributes: pairs(attributes),
		status: error === undefined ? { code: 1 } : { code: 2, message: error },
	};
}

/** As text: such a number is too large for JSON. */
function nanoseconds(ms: number): string {
	return (BigInt(Math.round(ms * 1000)) * 1000n).toString();
}

function pairs(attributes: Readonly<Record<string, SpanValue | undefined>>): object[] {
	return Object.entries(attributes).flatMap(([key, value]) =>
		value === undefined ? [] : [{ key, value: valueOf(value) }],
	);
}

function valueOf(value: SpanValue): object {
	if (typeof value === "string") return { stringValue: value };
	if (typeof value === "boolean") return { boolValue: value };
	return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
