/** Leaves the session or the program: either stops the running background jobs, so the user decides. */
import type { SessionClient } from "@tau/wire";

import { plural } from "@tau/utils";

import { jobsWarning } from "@tau/session-commands/work";
import type { Dialogs, NoticeLevel } from "./host.ts";

export interface LeavingParts {
	client: Pick<SessionClient, "view" | "me">;
	/** Absent for a session that runs elsewhere: nothing of it ends with this screen. */
	own: OwnSession | undefined;
	ask: Pick<Dialogs, "confirm">;
	notify(text: string, level: NoticeLevel): void;
	quit(): void;
}

/** A session that runs in this process. */
export interface OwnSession {
	/** Lets it continue elsewhere when this screen is gone; absent where nobody could continue it. */
	readonly detach?: ((directory?: string) => void) | undefined;
	/** Resolves when nothing runs. */
	waitForIdle(): Promise<void>;
}

export class Leaving {
	readonly #parts: LeavingParts;
	/** How many running jobs the user was warned about when leaving. */
	#stoppedJobs = 0;
	#isDetaching = false;
	#isAsking = false;

	constructor(parts: LeavingParts) {
		this.#parts = parts;
	}

	/** Quits; while background jobs run, only when it is called a second time. With others attached, it asks first. */
	leave(): void {
		const { own, quit } = this.#parts;
		if (!own) return quit();
		const others = this.#others();
		if (others > 0 && own.detach) return void this.#askAbout(others);
		this.#leaveAlone();
	}

	/** Lets the session continue without this terminal, or here in another directory. Throws where it cannot. */
	async detach(directory?: string): Promise<void> {
		const { client, own, ask, notify, quit } = this.#parts;
		const isMove = directory !== undefined;
		if (!own && isMove)
			throw new Error("The session runs elsewhere. Use /cd in the terminal that it was started in.");
		if (!own) return quit();
		if (!own.detach || client.view.facts.session.file === undefined)
			throw new Error(`Only a saved session can continue ${isMove ? "elsewhere" : "without this terminal"}.`);
		// An empty one simply starts there.
		if (client.view.tail.leafId === null && !isMove)
			throw new Error("There is nothing to continue yet. Send a prompt first.");
		const running = client.view.live.jobs.length;
		const question = isMove ? "Continue in the other directory?" : "Detach?";
		if (running > 0 && (await ask.confirm(jobsWarning(running), question)) !== true) return;
		if (this.#isDetaching) return;
		this.#isDetaching = true;
		const verb = isMove ? "Moves" : "Detaches";
		if (client.view.facts.phase !== "idle")
			notify(`${verb} when the model is done. Press Escape to stop it now.`, "info");
		await own.waitForIdle();
		own.detach(directory);
		quit();
	}

	#others(): number {
		const { view, me } = this.#parts.client;
		return view.clients.filter(({ id }) => id !== me.id).length;
	}

	async #askAbout(others: number): Promise<void> {
		if (this.#isAsking) return this.#leaveAlone();
		this.#isAsking = true;
		try {
			const who = `${plural(others, "other client")} ${others === 1 ? "is" : "are"} attached.`;
			const keeps = await this.#parts.ask.confirm(who, "Keep the session running in the background?");
			if (keeps === true) await this.detach();
			else if (keeps === false) this.#leaveAlone();
		} catch (error) {
			this.#parts.notify(error instanceof Error ? error.message : String(error), "error");
		} finally {
			this.#isAsking = false;
		}
	}

	#leaveAlone(): void {
		const running = this.#parts.client.view.live.jobs.length;
		if (running <= this.#stoppedJobs) return this.#parts.quit();
		this.#stoppedJobs = running;
		this.#parts.notify(`${jobsWarning(running)} Exit again to leave.`, "warning");
	}

	/** The user has decided to stay: the next try to leave is the first one again. */
	stay(): void {
		this.#stoppedJobs = 0;
	}
}
