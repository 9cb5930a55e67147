/** Writes a log of JSON lines that never throws, stays bounded, and contains no secrets. */
import { dirs } from "./dirs.ts";
import { env } from "./env.ts";
import { logLimits } from "./limits.ts";
import { LogFile } from "./log-file.ts";
import { maskFields } from "./mask-fields.ts";
import { reportTo } from "./report.ts";

const levels = ["debug", "info", "warn", "error", "off"] as const;
export type LogLevel = (typeof levels)[number];
export type LogFields = Record<string, unknown>;

export interface Logger {
	debug(msg: string, fields?: LogFields): void;
	info(msg: string, fields?: LogFields): void;
	warn(msg: string, fields?: LogFields): void;
	error(msg: string, fields?: LogFields): void;
	/** A logger on the same file that adds these fields to each line. */
	child(fields: LogFields): Logger;
	/** Lines lost to a full, read-only or missing disk. */
	readonly dropped: number;
}

export interface LoggerOptions {
	/** A function is called at the first line. */
	dir: string | (() => string);
	/** Default: TAU_LOG_LEVEL at the first line, else info. */
	level?: LogLevel;
	fileBytes?: number;
	/** Rotated files to keep beside the one being written. */
	keep?: number;
}

export function createLogger(options: LoggerOptions): Logger {
	const { dir, level, fileBytes = logLimits.fileBytes, keep = logLimits.keep } = options;
	let file: LogFile | undefined;
	let threshold = level === undefined ? undefined : levels.indexOf(level);
	let dropped = 0;
	return loggerOn({
		get dropped() {
			return dropped;
		},
		write(lineLevel, msg, fields) {
			threshold ??= levels.indexOf(levelFromEnv());
			if (levels.indexOf(lineLevel) < threshold) return;
			try {
				file ??= new LogFile(typeof dir === "string" ? dir : dir(), { fileBytes, keep });
				file.append(lineOf(lineLevel, msg, fields()));
			} catch {
				// An unwritable log must not break the run; the count records the loss.
				dropped++;
			}
		},
	});
}

/** The log of this process, in the logs directory as it is when the first line is written. */
export const log: Logger = createLogger({ dir: () => dirs().logs });
reportTo((message, fields) => log.error(message, fields));

interface Sink {
	readonly dropped: number;
	write(level: LogLevel, msg: string, fields: () => LogFields): void;
}

function loggerOn(sink: Sink, own: LogFields = {}): Logger {
	const at = (level: LogLevel) => (msg: string, fields?: LogFields) =>
		sink.write(level, msg, () => ({ ...own, ...fields }));
	return {
		debug: at("debug"),
		info: at("info"),
		warn: at("warn"),
		error: at("error"),
		child: (fields) => loggerOn(sink, { ...own, ...fields }),
		get dropped() {
			return sink.dropped;
		},
	};
}

function levelFromEnv(): LogLevel {
	const configured = env("TAU_LOG_LEVEL")?.toLowerCase();
	return levels.find((level) => level === configured) ?? "info";
}

function lineOf(level: LogLevel, msg: string, fields: LogFields): string {
	const head = { time: new Date().toISOString(), level, pid: process.pid, msg: maskFields(msg) };
	const line: Record<string, unknown> = { ...head };
	for (const [key, value] of Object.entries(maskFields(fields) ?? {})) {
		// A field must not be able to imitate the time or the level of its line.
		line[key in head ? `fields.${key}` : key] = value;
	}
	const text = serialize(line);
	if (text.length <= logLimits.lineLength) return text;
	return serialize({ ...head, cut: `fields of ${text.length} characters were left out` });
}

/** JSON escapes C0 controls only; the others would reach the terminal when the log is read with `cat`. */
function serialize(line: object): string {
	return JSON.stringify(line).replace(
		/[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
		(unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
}
