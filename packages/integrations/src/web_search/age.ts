/** The age of a page: services give dates, times or words such as "2 days ago". */

const unitSeconds: Readonly<Record<string, number>> = {
	second: 1,
	minute: 60,
	hour: 3600,
	day: 86_400,
	week: 604_800,
	month: 2_592_000,
	year: 31_536_000,
};

const shortUnits: Readonly<Record<string, string>> = {
	s: "second",
	sec: "second",
	m: "minute",
	min: "minute",
	h: "hour",
	hr: "hour",
	d: "day",
	w: "week",
	mo: "month",
	y: "year",
};

export function ageOf(date: string, now: number): number | undefined {
	const [, amount, word = ""] = /^(\d{1,6})\s*([a-z]+?)s?(?:\s+ago)?$/i.exec(date.trim()) ?? [];
	const unit = unitSeconds[shortUnits[word.toLowerCase()] ?? word.toLowerCase()];
	if (amount !== undefined && unit !== undefined) return Number(amount) * unit;
	// A number alone would be read as a year or as a day, depending on the engine.
	const time = /\d.*[^\d\s]|[^\d\s].*\d/.test(date) ? Date.parse(date) : Number.NaN;
	return Number.isNaN(time) ? undefined : Math.max(0, Math.floor((now - time) / 1000));
}

/** `5m ago`, `3d ago`, `2mo ago`. */
export function formatAge(seconds: number): string {
	const steps: readonly (readonly [number, string])[] = [
		[31_536_000, "y"],
		[2_592_000, "mo"],
		[604_800, "w"],
		[86_400, "d"],
		[3600, "h"],
		[60, "m"],
	];
	const [size, unit] = steps.find(([least]) => seconds >= least) ?? [];
	return size === undefined ? "just now" : `${Math.floor(seconds / size)}${unit} ago`;
}
