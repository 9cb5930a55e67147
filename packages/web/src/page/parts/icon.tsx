/** The pictures of buttons, drawn with the color of the text. */
import type { JSX } from "preact";

const paths = {
	back: "M15 5l-7 7 7 7",
	plus: "M12 5v14M5 12h14",
	search: "M11 4a7 7 0 1 1 0 14 7 7 0 0 1 0-14zM20 20l-4-4",
	send: "M12 19V5M6 11l6-6 6 6",
	stop: "M7 7h10v10H7z",
	play: "M8 5l11 7-11 7z",
	pause: "M9 5v14M15 5v14",
	close: "M6 6l12 12M18 6L6 18",
	chevron: "M9 6l6 6-6 6",
	down: "M6 10l6 6 6-6",
	attach:
		"M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.4 3.4 0 0 1 5 5l-8.500 8.500a1.700 1.700 0 0 1-2.500-2.500L15 7",
	camera: "M4 8h4l2-3h4l2 3h4v11H4zM12 10a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7z",
	panel: "M4 5h16v14H4zM14 5v14",
	sidebar: "M4 5h16v14H4zM10 5v14",
	copy: "M9 9h11v11H9zM5 15H4V4h11v1",
	check: "M5 13l4 4 10-10",
	more: "M5 12h.01M12 12h.01M19 12h.01",
	tree: "M6 4v16M6 8h6a3 3 0 0 1 3 3v0M6 16h9M18 11v0M18 16v0",
	archive: "M4 5h16v4H4zM5 9v10h14V9M10 13h4",
	edit: "M5 19h4L19 9l-4-4L5 15z",
	file: "M7 3h7l5 5v13H7zM14 3v5h5",
	download: "M12 4v12M6 11l6 6 6-6M5 20h14",
	sun: "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M19 5l-1.500 1.500M6.500 17.500L5 19",
	link: "M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1",
	code: "M9 7l-5 5 5 5M15 7l5 5-5 5",
	help: "M9 9a3 3 0 1 1 4 3c-1 .5-1 1-1 2M12 18h.01",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }): JSX.Element {
	return (
		<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
			<path d={paths[name]} />
		</svg>
	);
}

interface IconButtonProps extends Omit<JSX.IntrinsicElements["button"], "icon" | "label"> {
	icon: IconName;
	label: string;
}

/** A button that is only a picture: its label is read aloud, and shown when the pointer rests on it. */
export function IconButton({ icon, label, ...rest }: IconButtonProps): JSX.Element {
	return (
		<button
			type="button"
			{...rest}
			class={`icon-button ${typeof rest.class === "string" ? rest.class : ""}`}
			aria-label={label}
			title={label}
		>
			<Icon name={icon} />
		</button>
	);
}
