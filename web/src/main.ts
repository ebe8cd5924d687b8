import { mount } from 'svelte';
import App from './App.svelte';
import { language } from './words';
import './page.css';

document.documentElement.lang = language;
const target = document.getElementById('app');
if (target) mount(App, { target });
