/** The links of a room: what each lets its guests do, until when, and how many of them. */
import type { Right } from "../rights.ts";
import { base64url, fromBase64url, randomBytes, type Bytes } from "./bytes.ts";
import { linkKeys } from "./keys.ts";
import { roomLimits as limits } from "./limits.ts";
import { fullBytes, viewBytes } from "./link.ts";

/** What a link can let its guests do; everything else stays with the host. */
export const linkRights = ["view", "comment", "prompt", "approve"] as const satisfies readonly Right[];
export type LinkRight = (typeof linkRights)[number];

/** As a file keeps it. */
export interface Invitation {
	/** What the host calls it. */
	readonly name: string;
	readonly right: LinkRight;
	/** base64url */
	readonly secret: string;
	/** Milliseconds since 1970. */
	readonly expiresAt?: number;
	/** How many guests it lets in; without it, any number. */
	readonly uses?: number;
	/** The guests that it has let in, by id: one that comes back is not counted again. */
	readonly guests: readonly string[];
}

interface Known {
	readonly id: string;
	readonly psk: Bytes;
	invitation: Invitation;
}

export class Invitations {
	readonly #room: string;
	readonly #known = new Map<string, Known>();

	private constructor(room: string) {
		this.#room = room;
	}

	static async of(room: string, stored: readonly Invitation[]): Promise<Invitations> {
		const invitations = new Invitations(room);
		for (const invitation of stored.slice(0, limits.links)) await invitations.#add(invitation);
		return invitations;
	}

	get all(): readonly Invitation[] {
		return [...this.#known.values()].map(({ invitation }) => invitation);
	}

	get ids(): readonly string[] {
		return [...this.#known.keys()];
	}

	/** Throws where the name is taken, or there are too many. */
	async create(wanted: Omit<Invitation, "secret" | "guests">): Promise<Invitation> {
		if (this.#known.size >= limits.links)
			throw new Error(`A room has at most ${limits.links} links. Revoke one: /collab revoke <name>`);
		if (this.all.some(({ name }) => name === wanted.name))
			throw new Error(`There is a link named "${wanted.name}" already. Revoke it, or choose another name.`);
		const secret = base64url(randomBytes(wanted.right === "view" ? viewBytes : fullBytes));
		const invitation: Invitation = { ...wanted, secret, guests: [] };
		await this.#add(invitation);
		return invitation;
	}

	find(id: string): { readonly psk: Bytes; readonly invitation: Invitation } | undefined {
		return this.#known.get(id);
	}

	/** Why this guest is not let in with it; undefined if it is. */
	refusal(id: string, guest: string, now: number): string | undefined {
		const { invitation } = this.#known.get(id) ?? {};
		if (!invitation) return "The host does not know this link: it was revoked, or the room was started anew.";
		if (isExpired(invitation, now)) return "This link has expired. Ask the host for another one.";
		const { uses, guests } = invitation;
		if (uses !== undefined && guests.length >= uses && !guests.includes(guest))
			return "This link was used as often as it may be. Ask the host for another one.";
		return undefined;
	}

	/** The guest was let in. */
	use(id: string, guest: string): void {
		const known = this.#known.get(id);
		if (!known || known.invitation.guests.includes(guest)) return;
		const guests = [...known.invitation.guests, guest].slice(-limits.guestsKept);
		known.invitation = { ...known.invitation, guests };
	}

	/** Returns the id of what was revoked; undefined where no link has the name. */
	revoke(name: string): string | undefined {
		const known = [...this.#known.values()].find(({ invitation }) => invitation.name === name);
		if (known) this.#known.delete(known.id);
		return known?.id;
	}

	/** Removes those whose time is over, and returns their ids. */
	expire(now: number): string[] {
		const over = [...this.#known.values()].filter(({ invitation }) => isExpired(invitation, now));
		for (const { id } of over) this.#known.delete(id);
		return over.map(({ id }) => id);
	}

	async #add(invitation: Invitation): Promise<void> {
		const secret = fromBase64url(invitation.secret);
		if (!secret) throw new Error(`The link "${invitation.name}" of the room cannot be read.`);
		const { id, psk } = await linkKeys(this.#room, secret);
		this.#known.set(id, { id, psk, invitation });
	}
}

export function isExpired({ expiresAt }: Invitation, now: number): boolean {
	return expiresAt !== undefined && expiresAt <= now;
}
