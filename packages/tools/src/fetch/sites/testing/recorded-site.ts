/** A page of a site with the answers of its API, cut to what matters, and what a model reads of it. */

export interface RecordedSite {
	/** The name of the reader. */
	readonly reader: string;
	readonly url: string;
	/** By address: JSON, or a text. Exactly these are asked for. */
	readonly answers: Readonly<Record<string, unknown>>;
	readonly title: string;
	readonly includes: readonly string[];
}
