// Owns the last step of a login by the company: what only our own page may know is kept, and the page is opened where somebody was.

const said = (name) => document.querySelector(`meta[name="portcullis-${name}"]`)?.content ?? "";
localStorage.setItem("portcullis-csrf", said("csrf"));
location.replace(`../#/${said("place")}`);
