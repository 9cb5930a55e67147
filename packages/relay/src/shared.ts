/** What joins the nodes of a relay: rooms whose members are connected to different ones. */
import type { Room } from "./room.ts";

/** A room as all nodes know it. */
export interface SharedRoom extends Disposable {
	/** This node has the host now. False if another host has the room: one with a newer stream, or any other of omp's. */
	claim(stream: number, links: readonly string[] | undefined): Promise<boolean>;
	/** "alone": the others cannot be told now, and are told later. */
	join(peer: string, link: string): Promise<"joined" | "full" | "alone">;
	leave(peer: string): Promise<void>;
	leaveAsHost(): Promise<void>;
	/** Tells the other nodes. */
	allow(links: readonly string[]): Promise<void>;
	kick(peer: string): Promise<void>;
	end(): Promise<void>;
	/** There is something of this node's members to hand on. */
	flush(): void;
	/** The number of a guest of omp's. */
	nextNumber(): Promise<number>;
}

export interface Exchange extends AsyncDisposable {
	/** Fills a room with what the other nodes know. "unknown": they know nothing; "away": they cannot be asked now. */
	open(room: Room): Promise<SharedRoom | "unknown" | "away">;
	/** A room that this node knows alone so far. */
	create(room: Room): SharedRoom;
	/** Whether the other nodes can be reached. */
	readonly isUp: boolean;
}
