/** Extensions that write files, or take them away, where the tools may not: tied to the tools while their session lasts. */
import { abortable, withTimeout } from "@tau/utils";
import type { DeniedDelete, DeniedWrite } from "@tau/sys";

import type { Extension } from "./extension.ts";
import { describeFailure } from "../support/failure.ts";
import { limits } from "../support/limits.ts";
import type { ExtensionRunner } from "../host/runner.ts";
import type { ExtensionContext } from "./types.ts";

/** Of which session; omp has several in a process. */
interface OfSession {
	sessionId: string | undefined;
}

export type FileWriteFallback = (
	denied: DeniedWrite & OfSession,
	ctx: ExtensionContext,
) => boolean | Promise<boolean>;
export type FileDeleteFallback = (
	denied: DeniedDelete & OfSession,
	ctx: ExtensionContext,
) => boolean | Promise<boolean>;

export function tieFallbacks(runner: ExtensionRunner): Disposable {
	using owned = new DisposableStack();
	const { fallbacks } = runner.bound;
	for (const extension of runner.extensions) {
		for (const write of extension.writeFallbacks)
			owned.use(fallbacks.addWriter((denied) => ask(runner, extension, write, denied)));
		for (const remove of extension.deleteFallbacks)
			owned.use(fallbacks.addDeleter((denied) => ask(runner, extension, remove, denied)));
	}
	return owned.move();
}

async function ask<T extends object>(
	runner: ExtensionRunner,
	extension: Extension,
	handler: (denied: T & OfSession, ctx: ExtensionContext) => boolean | Promise<boolean>,
	denied: T,
): Promise<boolean> {
	const { session, log } = runner.bound;
	const run = session.signal ?? new AbortController().signal;
	using deadline = withTimeout(run, limits.handlerMs, "It timed out");
	try {
		const request = { ...denied, sessionId: log.getSessionId() };
		const done = Promise.resolve(handler(request, runner.contextOf(extension)));
		return (await abortable(done, deadline.signal)) === true;
	} catch (error) {
		await runner.report({ extension, event: "file fallback", error: describeFailure(error, extension.path) });
		return false;
	}
}
