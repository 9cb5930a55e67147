/** The room for guests who use omp, beside the one of Tau's own: weaker, and opened only when the user asks for it. */
import { UserError } from "@tau/session/run";
import type { CollabLink } from "@tau/session-commands";
import { newOmpRoom, OmpHost, type OmpHostOptions, type OmpRoomKeys } from "@tau/wire/omp";
import { printLink, type RoomGuest } from "@tau/wire/room";

const viewBytes = 32;

/** The names of its links. */
export const ompLinks = { prompt: "omp", view: "omp view" } as const;

export class OmpRoom {
	readonly #relay: string;
	readonly #keys: OmpRoomKeys = newOmpRoom();
	readonly #host: OmpHost;
	#used = { prompt: 0, view: 0 };

	private constructor(options: Omit<OmpHostOptions, "keys">) {
		this.#relay = options.relay;
		const { events } = options;
		this.#host = new OmpHost({
			...options,
			keys: this.#keys,
			events: {
				...events,
				onJoined: (guest, isBack) => {
					this.#used[guest.right === "view" ? "view" : "prompt"]++;
					events.onJoined(guest, isBack);
				},
			},
		});
	}

	static async open(options: Omit<OmpHostOptions, "keys">): Promise<OmpRoom> {
		const room = new OmpRoom(options);
		try {
			await room.#host.start();
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			throw new UserError(`The relay ${options.relay} does not take a room of omp: ${reason}`);
		}
		return room;
	}

	get guests(): readonly RoomGuest[] {
		return this.#host.guests;
	}

	get links(): readonly CollabLink[] {
		return [this.#link("prompt"), this.#link("view")];
	}

	removeGuest(id: string, reason: string): void {
		this.#host.removeGuest(id, reason);
	}

	/** One key is for all: ending one of its links ends the room. */
	async close(reason: string): Promise<void> {
		await this.#host.close(reason);
	}

	#link(right: "prompt" | "view"): CollabLink {
		const { room, secret } = this.#keys;
		const key = right === "view" ? secret.slice(0, viewBytes) : secret;
		const link = printLink({ relay: this.#relay, room, secret: key }, false);
		return { name: ompLinks[right], right, link, used: this.#used[right], program: "omp" };
	}
}
