/** A document that is a ZIP archive of XML parts: opens it and locates its parts. */
import { posix } from "node:path";
import { ArchiveError, findEntry } from "../archives/entry.ts";
import { openZip, readZipEntry, zipEntryChunks, type ZipArchive } from "../archives/zip.ts";
import { limits } from "../limits.ts";
import { DocumentError } from "./document.ts";
import { XmlStream, type XmlHandler } from "./xml-stream.ts";
import { attribute, childrenNamed, type XmlElement } from "./xml.ts";

/** The first bytes of the compound file format of old and encrypted Office files. */
const compoundFile = [0xd0, 0xcf, 0x11, 0xe0];

export class OfficePackage {
	readonly #archive: ZipArchive;

	/** Throws `DocumentError`. */
	constructor(bytes: Uint8Array) {
		if (compoundFile.every((byte, index) => bytes[index] === byte)) {
			const help =
				"It is password-protected or from a version before 2007. Save it again without a password, in a current format.";
			throw new DocumentError("encrypted", help);
		}
		this.#archive = fromArchive(() => openZip(bytes));
	}

	has(path: string): boolean {
		return findEntry(this.#archive.entries, path) !== undefined;
	}

	async text(path: string): Promise<string | undefined> {
		const entry = findEntry(this.#archive.entries, path);
		if (!entry) return undefined;
		if (entry.size > limits.documentPartBytes) {
			const most = limits.documentPartBytes;
			throw new DocumentError("too-large", `${path} has ${entry.size} bytes; at most ${most} are supported.`);
		}
		try {
			return new TextDecoder().decode(await readZipEntry(this.#archive, entry));
		} catch (error) {
			throw asDocumentError(error);
		}
	}

	/** The root of an XML part; undefined if the part does not exist. */
	async xml(path: string): Promise<XmlElement | undefined> {
		const text = await this.text(path);
		if (text === undefined) return undefined;
		try {
			return Bun.XML.parse(text, { compact: false });
		} catch {
			// Bun's message is about the markup, which does not help a user.
			throw new DocumentError("damaged", `The document is damaged: ${path} is not well-formed.`);
		}
	}

	/** Reads an XML part piece by piece, until `isEnough`; false if the part does not exist. */
	async stream(path: string, handler: XmlHandler, isEnough: () => boolean = () => false): Promise<boolean> {
		const entry = findEntry(this.#archive.entries, path);
		if (!entry) return false;
		const decoder = new TextDecoder();
		const xml = new XmlStream(path, handler);
		let unswept = 0;
		try {
			for await (const chunk of zipEntryChunks(this.#archive, entry)) {
				xml.write(decoder.decode(chunk, { stream: true }));
				if (isEnough()) return true;
				unswept += chunk.length;
				if (unswept < limits.documentSweepBytes) continue;
				unswept = 0;
				Bun.gc(true);
			}
		} catch (error) {
			throw asDocumentError(error);
		}
		xml.end();
		return true;
	}

	/** The targets of a part's relations, by id. */
	async relations(path: string): Promise<ReadonlyMap<string, { target: string; type: string }>> {
		const folder = posix.dirname(path);
		const root = await this.xml(`${folder}/_rels/${posix.basename(path)}.rels`);
		const relations = new Map<string, { target: string; type: string }>();
		for (const relation of childrenNamed(root, "Relationship")) {
			const target = attribute(relation, "Target") ?? "";
			const whole = target.startsWith("/") ? target.slice(1) : posix.join(folder, target);
			relations.set(attribute(relation, "Id") ?? "", {
				target: whole,
				type: attribute(relation, "Type") ?? "",
			});
		}
		return relations;
	}
}

function fromArchive<T>(work: () => T): T {
	try {
		return work();
	} catch (error) {
		throw asDocumentError(error);
	}
}

function asDocumentError(error: unknown): unknown {
	if (!(error instanceof ArchiveError)) return error;
	const isKnown = error.problem === "encrypted" || error.problem === "too-large";
	const help = "The document is damaged or not of the type its name suggests";
	return new DocumentError(
		isKnown ? (error.problem as "encrypted" | "too-large") : "damaged",
		isKnown ? error.message : `${help}: ${error.message}`,
	);
}
