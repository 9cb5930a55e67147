/** The interface to the store of long outputs: a tool writes its whole output there and refers to it by id. */

export interface Artifact extends Disposable {
	/** The id in an `artifact://` URL. */
	readonly id: string;
	readonly path: string;
	/** Never throws: bytes that the disk rejects are counted in `lost`. The chunk is only valid during the call. */
	write(chunk: Uint8Array): void;
	/** Bytes that could not be written. */
	readonly lost: number;
}

/** Text, or an image as a tool made it. */
export type ArtifactExtension = "log" | "png" | "jpeg" | "webp" | "gif";

export interface ArtifactStore {
	/** Creates the next artifact; its file exists when this returns. Throws if no file can be created. */
	open(tool: string, extension?: ArtifactExtension): Artifact;
	/** The file of an id, regardless of which process wrote it. */
	find(id: string): string | undefined;
}
