/** The public interface of @tau/utils. */

export { abortable, delay, isAbort, isTimeout, throwIfAborted, withTimeout } from "./abort.ts";
export type { Deadline } from "./abort.ts";
export { elapsed, money, plural, tokens } from "./amounts.ts";
export { ByteLines, type LinePart } from "./byte-lines.ts";
export { observeCode, ownedBy, runAs, runOwned, type CodeObserver } from "./code-owner.ts";
export { ControlStripper, showControls, stripControls } from "./control-strip.ts";
export type { StripOptions } from "./control-strip.ts";
export { checkHome, directoryFix, dirs, expandHome, homeOf, shortenHome } from "./dirs.ts";
export type { Dirs } from "./dirs.ts";
export { listen, onDispose, timer } from "./dispose.ts";
export { Listeners } from "./listeners.ts";
export { divertWrites, ownWrite } from "./divert.ts";
export {
	addFromProject,
	isFromFile,
	loadDotenv,
	parseDotenv,
	readProjectDotenv,
	withoutDotenv,
} from "./dotenv.ts";
export type { DotenvOptions, DotenvReport, DotenvWarning, ProjectDotenv } from "./dotenv.ts";
export { env, envFlag, envNames, envNumber, environment } from "./env.ts";
export type { Env } from "./env.ts";
export { EventStream } from "./event-stream.ts";
export type { EventStreamOptions } from "./event-stream.ts";
export { commandsWrite, hostProgram, hostSearchPath, standardPath } from "./host-programs.ts";
export { shortId, uuidv7 } from "./ids.ts";
export { isTerminal } from "./is-terminal.ts";
export { frameLine, jsonOf, linesOf, LineSplitter } from "./line-splitter.ts";
export { commonStart } from "./common-start.ts";
export { localClock, localDate } from "./local-date.ts";
export { fits, kindOf, parseShape, refined, shapes } from "./shape.ts";
export type { Shape, ShapeResult, ShapeValue } from "./shape.ts";
export { shareTurn } from "./share-turn.ts";
export { lookAlikeName } from "./look-alike.ts";
export { createLogger, log } from "./log.ts";
export type { LogFields, Logger, LoggerOptions, LogLevel } from "./log.ts";
export { maskFields } from "./mask-fields.ts";
export { maskKnownSecrets, maskSecrets, maskTokens, registerSecret } from "./mask.ts";
export { nearest } from "./nearest.ts";
export { nextMacrotask } from "./next-macrotask.ts";
export { once } from "./once.ts";
export { privateDirectory } from "./private-directory.ts";
export { readSecretFile, writeSecretFile } from "./secret-file.ts";
export {
	openRuntimeDirectory,
	runtimeDirectory,
	shortHash,
	userId,
	whyNotPrivate,
} from "./runtime-directory.ts";
export { isProviderKey, registerProviderKeys, withoutProviderKeys } from "./provider-keys.ts";
export { parseFailure } from "./parse-failure.ts";
export { passVariables, withheldSecrets, withoutSecrets } from "./secret-variables.ts";
export { isHarmlessVariable } from "./project-env.ts";
export { openedSequence, stepSequence, type Sequence } from "./terminal-sequence.ts";
export {
	cutGraphemes,
	cutMiddle,
	cutUnits,
	cutUtf8,
	cutUtf8Bytes,
	fenced,
	fenceFor,
	oneLine,
	withoutMarkdown,
} from "./text.ts";
export { formatTimings, leaveScreenAlone, mark, span, timingMode } from "./timing.ts";
export type { TimingMode } from "./timing.ts";
export { lockLimits } from "./limits.ts";
export { isRunning, isStale, isSuspended, parseOwner, thisProcess, type LockOwner } from "./lock-owner.ts";
export { type Lock, type Locked, livingOwner, lockWithin, takeLock, waitForLock } from "./lock.ts";
export { remoteWord, sourceWord } from "./source-word.ts";
export { isOwnDirectory, sweepTemporary, temporaryDirectory, temporaryTag } from "./temporary.ts";
export { version } from "./version.ts";
export { NothingChosen, UsageError } from "./usage-error.ts";
export { errorCode, errorText, isRecord, textsAt, diffIn } from "./values.ts";
export { fill } from "./fill.ts";
