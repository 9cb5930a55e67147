/** The session of a task as a worker sees it; the application starts it. */
import type { RemoteSession } from "@tau/wire/remote";

export interface SessionRequest {
	/** Flags of the command line. */
	readonly argv: readonly string[];
	readonly cwd: string;
	readonly env: Readonly<Record<string, string>>;
	/** For the model. Not among the flags, which every user of the machine can read. */
	readonly apiKey?: string | undefined;
	/** What to send to the model, in order. */
	readonly prompts: readonly string[];
}

/** A process of its own that ends with the worker, whatever happens to that. Disposing of it ends the process. */
export interface TaskSession extends AsyncDisposable {
	readonly client: RemoteSession;
	/** Resolves when the process has ended. */
	readonly exited: Promise<void>;
}

/** Resolves when the session works on the first prompt. Rejects with the reason if it does not start. */
export type StartSession = (request: SessionRequest, signal: AbortSignal) => Promise<TaskSession>;
