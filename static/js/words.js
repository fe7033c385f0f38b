// What scripts say to readers: written by the server, in the reader's language.
export const words = document.getElementById("words")?.dataset ?? {};
