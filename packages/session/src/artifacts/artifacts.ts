/** The seam to the store of long outputs: a tool writes the whole of what it gave there, and names it. */

export interface Artifact extends Disposable {
	/** What stands behind `artifact://`. */
	readonly id: string;
	readonly path: string;
	/** Never throws: what the disk does not take is counted in `lost`. The chunk is only valid during the call. */
	write(chunk: Uint8Array): void;
	/** Bytes that could not be written. */
	readonly lost: number;
}

export interface ArtifactStore {
	/** Makes the next one; its file is there when this returns. Throws where no file can be made. */
	open(tool: string): Artifact;
	/** The file behind an id, whoever wrote it. */
	find(id: string): string | undefined;
}
